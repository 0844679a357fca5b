"""Second passes in which all evidence of chosen texts is marked: what their annotators are proposed, what becomes gold."""
