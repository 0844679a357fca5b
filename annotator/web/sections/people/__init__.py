"""The section *People* of the Project page: who takes part, invitations, roles, accounts."""
