import { z } from 'zod'
import { apps } from './apps.ts'
import { databaseSettings, starterSettings } from './starter-settings.ts'
import { ask } from './ask.ts'

const Settings = z.array(z.object({ name: z.string(), required: z.boolean(), default: z.string().nullable(), description: z.string() }))
type Setting = z.infer<typeof Settings>[number]

/** Writes the page of every environment variable: those that each service describes in its sources, and those that `npm start` reads. */
export async function describeConfiguration(): Promise<string> {
  const described = await Promise.all(
    apps.map(
      async (app) =>
        [app, Settings.parse(JSON.parse(await ask('node', ['apps/server/src/main.ts', '--service', app, '--describe-config'])))] as const,
    ),
  )
  const sharedNames =
    described[0]?.[1]
      .map(({ name }) => name)
      .filter((name) => described.every(([, settings]) => settings.some((setting) => setting.name === name))) ?? []
  const shared = described[0]?.[1].filter(({ name }) => sharedNames.includes(name)) ?? []
  const sections = described.map(([app, settings]) => `## ${app}\n\n${table(settings.filter(({ name }) => !sharedNames.includes(name)))}`)
  return [
    '# Configuration',
    '',
    'Written by `npm run docs` from the schema in each service’s `config.ts`; do not edit. Every setting is an environment variable, read once at the start. An empty one counts as absent. A wrong one ends the service with a list of every problem.',
    '',
    '## npm start',
    '',
    'The starter hands its whole environment to every service and works out what is missing. Secrets it makes are kept in the data directory.',
    '',
    table([...starterSettings, ...databaseSettings]),
    '',
    '## Every service',
    '',
    'A setting with the name of a service at its end, such as `DATABASE_POOL_SIZE_TRACKER`, is for that service alone and takes precedence. `OBSERVE_PORT` and `LOG_LEVEL` belong to the process and have no such form.',
    '',
    table(shared),
    '',
    sections.join('\n\n'),
    '',
  ].join('\n')
}

function table(settings: Setting[]): string {
  const rows = settings.map(({ name, required, default: fallback, description }) => {
    const value = required ? 'required' : fallback === null || fallback === '""' ? '' : `\`${fallback.replace(/^"(.*)"$/, '$1')}\``
    return `| \`${name}\` | ${value} | ${description.replaceAll('|', '\\|').replaceAll('<', '&lt;')} |`
  })
  return ['| variable | default | meaning |', '|---|---|---|', ...rows].join('\n')
}
