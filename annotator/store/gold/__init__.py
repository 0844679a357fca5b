"""Gold that is kept: releases."""
