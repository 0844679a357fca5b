"""What leaves the server, where an administrator has named a host: mail and the webhook, each to a checked address."""
