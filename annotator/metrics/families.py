"""All families of metrics, loaded together so that their definitions are in the register."""
