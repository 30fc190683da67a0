import { apps } from './apps.ts'
import type { AppName } from '@herald/contracts/call'
import { StartError } from './start-error.ts'

const mostInstances = 32

/**
 * Reads HERALD_INSTANCES, such as `dispatcher=2,audience=2`: how many processes of each service are started. A service that is not named runs as one
 * process. 0 leaves a service out. The gateway may not be left out, because no other service becomes ready without it.
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
