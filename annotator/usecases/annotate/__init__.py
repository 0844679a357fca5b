"""What annotators do: marking, drafts, leases, proposals, talk, My work."""
