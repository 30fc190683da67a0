/** The command was not given what it needs: said with the way to its help, and exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
