/** The settings of a session whose statements may take any time, whatever its role's limits are. */
export const unlimited = {
  options: '-c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0',
}
