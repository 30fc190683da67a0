import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { comeBackAfterMs, consumers, duplicateWindowSeconds, eventSubjects, streams } from '@herald/contracts/topology'
import { z } from 'zod'
import { root } from './workspace.ts'

const Call = z.object({ subject: z.string().startsWith('rpc.'), timeoutMs: z.number() })

/** The page of everything that travels between the apps: streams, consumers, events and calls. */
export async function describeTopology(): Promise<string> {
  return [
    '# Topology',
    '',
    'Written by `npm run docs` from `libs/contracts`; do not edit. What crosses from one app to another, and nothing else.',
    '',
    '## Streams',
    '',
    '| stream | subjects | retention | days | bytes | when full |',
    '|---|---|---|---|---|---|',
    ...Object.entries(streams).map(
      ([name, stream]) =>
        `| ${name} | ${code(stream.subjects)} | ${stream.retention} | ${stream.maxAgeDays || '–'} | ${stream.maxBytes.toLocaleString('en')} | ${stream.discard === 'old' ? 'the oldest goes' : 'refuses'} |`,
    ),
    '',
    `A repeated \`Nats-Msg-Id\` is dropped within ${duplicateWindowSeconds} s. A message that failed comes back after ${comeBackAfterMs.join(', ')} ms, the last for good.`,
    '',
    '## Consumers',
    '',
    '| durable | stream | subject | unacked at most | ack wait |',
    '|---|---|---|---|---|',
    ...consumers.map(
      ({ durable, stream, subject, maxAckPending, ackWaitSeconds }) =>
        `| ${code([durable])} | ${stream} | ${code([subject])} | ${maxAckPending} | ${ackWaitSeconds} s |`,
    ),
    '',
    '## Events',
    '',
    ...Object.values(eventSubjects).map((subject) => `- \`${subject}\``),
    '',
    '## Calls',
    '',
    'Request and reply, answered by any process of the app that the subject names. The limit is for the caller’s whole wait.',
    '',
    '| subject | limit |',
    '|---|---|',
    ...(await readCalls()).map(({ subject, timeoutMs }) => `| ${code([subject])} | ${timeoutMs / 1_000} s |`),
    '',
  ].join('\n')
}

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')

async function readCalls(): Promise<z.infer<typeof Call>[]> {
  const directory = join(root, 'libs', 'contracts', 'src', 'calls')
  const files = globSync('*.ts', { cwd: directory }).filter((file) => !file.endsWith('.test.ts'))
  const modules = await Promise.all(files.map((file): Promise<object> => import(pathToFileURL(join(directory, file)).href)))
  const calls = modules.flatMap((module) => Object.values(module)).flatMap((value) => Call.safeParse(value).data ?? [])
  return calls.toSorted((one, other) => (one.subject < other.subject ? -1 : 1))
}
