"""Training on the screen: what somebody who is trained sees, and what the lead sets and follows."""
