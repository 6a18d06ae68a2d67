//! Questions to the client, in both eras by one handler.
