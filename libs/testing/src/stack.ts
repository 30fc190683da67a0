/** Containers in which Herald runs. End-to-end tests use them instead of starting Herald (`npm run test:compose`). */
export type Stack = {
  baseUrl: string
  adminToken: string
  /** The address of the simulator's control API, from this machine. */
  simulator: string
  /** How the containers reach a server on this machine: its name, and a certificate for the name that they trust, as PEM. */
  receiver: { host: string; ca: string; certificate: string; privateKey: string }
}

/** Gives the containers that HERALD_STACK describes; undefined without this variable. */
export const givenStack = (): Stack | undefined => {
  const described = process.env['HERALD_STACK']
  return described ? (JSON.parse(described) as Stack) : undefined
}
