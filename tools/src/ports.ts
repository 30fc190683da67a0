import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, isPortFree } from '@herald/embedded/free-port'
import { holdPort, type HeldPort } from '@herald/embedded/held-port'
import { z } from 'zod'
import { StartError } from './start-error.ts'
import { writeWhole } from './write-whole.ts'

const port = z.number().int().min(1).max(65_535)

const Ports = z.object({
  gateway: port.optional(),
  postgres: port.optional(),
  nats: port.optional(),
  simulator: z.record(z.string(), port).optional(),
  /**
   * The ports of the last simulator, while the platform runs without one. The endpoints of web devices contain a port, so the next simulator takes the
   * same ports.
   */
  formerSimulator: z.record(z.string(), port).optional(),
  /** The ports for probes and metrics, by process, such as `gateway-1`. */
  observe: z.record(z.string(), port).optional(),
})

/** The content of `<data>/ports.json`: the ports on which everything listens. Servers of the operator (DATABASE_URL, NATS_URL) are not in it. */
export type Ports = z.infer<typeof Ports>

/** For each server of the simulator, the variable with which it gets its port. */
export const simulatorPorts = {
  apns: 'SIMULATOR_APNS_PORT',
  apnsSandbox: 'SIMULATOR_APNS_SANDBOX_PORT',
  fcm: 'SIMULATOR_FCM_PORT',
  oauth: 'SIMULATOR_OAUTH_PORT',
  webPush: 'SIMULATOR_WEB_PUSH_PORT',
  control: 'SIMULATOR_CONTROL_PORT',
} as const

const fileOf = (dataDir: string) => join(dataDir, 'ports.json')

/** Reads the ports of the last run. */
export function readPorts(dataDir: string): Ports {
  try {
    return existsSync(fileOf(dataDir)) ? Ports.parse(JSON.parse(readFileSync(fileOf(dataDir), 'utf8'))) : {}
  } catch {
    return {} // an unreadable file only means that ports are chosen again
  }
}

export const writePorts = (dataDir: string, ports: Ports): void => writeWhole(fileOf(dataDir), `${JSON.stringify(ports, null, 2)}\n`, 0o644)

/** Picks the port of the last run if it is free, so that addresses that somebody noted stay right; else any free port. */
export async function pickPort(former: number | undefined): Promise<number> {
  return former !== undefined && (await isPortFree(former)) ? former : freePort()
}

/**
 * Picks a port for each server of the simulator: the former one if it is free, because the endpoints of web devices contain a port.
 */
export const pickSimulatorPorts = (former?: Record<string, number>): Promise<Record<string, number>> =>
  pickPorts(Object.keys(simulatorPorts), former)

/** Picks a different port for each name: the former port if it is free, else any free port. */
export async function pickPorts(names: readonly string[], former: Record<string, number> = {}): Promise<Record<string, number>> {
  const picked: Record<string, number> = {}
  for (const name of names) {
    do picked[name] = await pickPort(former[name])
    while (Object.entries(picked).some(([other, port]) => other !== name && port === picked[name]))
  }
  return picked
}

/** Opens the port of the gateways: PORT (default 8080), or any free port when PORT is 0. When it cannot be opened, a StartError says what to set. */
export async function holdGatewayPort(given: string | undefined, host: string): Promise<HeldPort> {
  const wanted = given === undefined || given === '' ? 8080 : Number(given)
  if (!Number.isInteger(wanted) || wanted < 0 || wanted > 65_535)
    throw new StartError(`PORT must be a number from 0 to 65535, not "${given}".`)
  return holdPort(wanted, host).catch((error: NodeJS.ErrnoException) => {
    throw new StartError(
      error.code === 'EADDRINUSE'
        ? `Port ${wanted} is taken by another program (EADDRINUSE). Set PORT to another one, or PORT=0 for any free one.`
        : `Cannot listen on ${host}:${wanted} (${error.code}). Set HOST to an address of this machine and PORT to a port this user may use.`,
      error,
    )
  })
}
