/** A stack of containers that is up: end-to-end tests use it and start no platform of their own (`npm run test:compose`). */
export type Stack = {
  baseUrl: string
  adminToken: string
  /** The simulator's control address, from this machine. */
  simulator: string
  /** How the stack reaches a server on this machine: its name, and a certificate for it that the stack trusts, as PEM. */
  receiver: { host: string; ca: string; certificate: string; privateKey: string }
}

/** The stack that HERALD_STACK describes, if one does. */
export const givenStack = (): Stack | undefined => {
  const described = process.env['HERALD_STACK']
  return described ? (JSON.parse(described) as Stack) : undefined
}
