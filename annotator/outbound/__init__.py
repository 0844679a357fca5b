"""What leaves the server, where an administrator has named a host: mail, the webhook and sign-ins, to checked addresses."""
