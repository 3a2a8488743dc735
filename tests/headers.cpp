// Nothing: its target has the precompiled header that tests share.
