import { apps } from './apps.ts'
import type { AppName } from '@herald/contracts/call'
import { StartError } from './start-error.ts'

const mostInstances = 32

/** A process that the starter runs: its name, such as `gateway-1`, and the services in it. */
export type ServiceProcess = { name: string; services: readonly AppName[] }

/**
 * Reads HERALD_PROCESSES and HERALD_INSTANCES: one process with all services, or a process for each instance of each service. Gives how many
 * instances of each service there are, too.
 */
export function readProcesses({ HERALD_PROCESSES: processes, HERALD_INSTANCES: instances }: NodeJS.ProcessEnv): {
  counts: Record<AppName, number>
  processes: ServiceProcess[]
} {
  if (processes && processes !== '1' && processes !== '6')
    throw new StartError(`HERALD_PROCESSES is "${processes}". It must be 1 (one process for all services) or 6 (one for each service).`)
  if (processes === '1' && instances)
    throw new StartError('HERALD_PROCESSES=1 runs each service once. Leave out HERALD_INSTANCES, or set HERALD_PROCESSES=6.')
  const counts = parseInstances(instances)
  if (processes === '1') return { counts, processes: [{ name: 'server-1', services: apps }] }
  return {
    counts,
    processes: apps.flatMap((app) =>
      Array.from({ length: counts[app] }, (_, index): ServiceProcess => ({ name: `${app}-${index + 1}`, services: [app] })),
    ),
  }
}

/**
 * Reads HERALD_INSTANCES, such as `dispatcher=2,audience=2`: how many processes of each service are started. An unnamed service has one, and 0 leaves
 * it out, but never the gateway, without which no other becomes ready.
 */
export function parseInstances(text: string | undefined): Record<AppName, number> {
  const counts: Record<AppName, number> = { gateway: 1, audience: 1, campaigns: 1, tracker: 1, webhooks: 1, dispatcher: 1 }
  for (const part of (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')) {
    const [name, count] = part.split('=').map((side) => side.trim())
    const app = apps.find((app) => app === name)
    if (app === undefined) throw new StartError(`HERALD_INSTANCES names "${name}". The services are: ${apps.join(', ')}.`)
    if (count === undefined || !/^\d+$/.test(count) || Number(count) > mostInstances) {
      throw new StartError(`HERALD_INSTANCES: "${part}" must be ${app}=<number up to ${mostInstances}>.`)
    }
    counts[app] = Number(count)
  }
  if (counts.gateway === 0) throw new StartError('HERALD_INSTANCES: there must be a gateway.')
  return counts
}
