"""Who somebody is and what they may see: accounts, tokens, rights, independence."""
