#!/usr/bin/env node
// `herald-server --service all`, or a comma list of services: runs these services in one process. `--describe-config` prints their settings as JSON
// instead, for the generated page.
import { parseArgs } from 'node:util'
import { apps, type AppName } from '@herald/contracts/call'
import { runServices, type Program } from '@herald/service/run'

/** A process loads only the services that it runs. */
const programs: Record<AppName, () => Promise<Program>> = {
  gateway: async () => (await import('@herald/gateway/program')).gateway,
  audience: async () => (await import('@herald/audience/program')).audience,
  campaigns: async () => (await import('@herald/campaigns/program')).campaigns,
  tracker: async () => (await import('@herald/tracker/program')).tracker,
  webhooks: async () => (await import('@herald/webhooks/program')).webhooks,
  dispatcher: async () => (await import('@herald/dispatcher/program')).dispatcher,
}

const usage = `usage: herald-server --service <all | ${apps.join(' | ')}>[,<service> …]\n`

/** Gives the services that a comma list names, each once; undefined when it names none or an unknown one. */
function servicesIn(list: string): AppName[] | undefined {
  const names = list.split(',').map((name) => name.trim())
  if (!names.every((name) => name === 'all' || apps.some((app) => app === name))) return undefined
  return names.includes('all') ? [...apps] : apps.filter((app) => names.includes(app))
}

const { values } = parseArgs({
  options: { service: { type: 'string' }, 'describe-config': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
})
const services = servicesIn(values.service ?? '')
if (values.help) process.stdout.write(usage)
else if (!services) {
  process.stderr.write(usage)
  process.exitCode = 2
} else {
  const chosen = await Promise.all(services.map((name) => programs[name]()))
  if (values['describe-config']) process.stdout.write(`${JSON.stringify(chosen.flatMap((each) => each.describe()))}\n`)
  else await runServices(chosen)
}
