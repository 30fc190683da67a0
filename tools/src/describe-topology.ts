import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { natsUser, natsUsers, rightsOf } from '@herald/contracts/grants'
import {
  comeBackAfterMs,
  consumers,
  duplicateWindowSeconds,
  eventSubjects,
  streams,
  streamsOwner,
  topologyVersion,
} from '@herald/contracts/topology'
import { z } from 'zod'
import { root } from './workspace.ts'

const Call = z.object({ subject: z.string().startsWith('rpc.'), timeoutMs: z.number() })

/** Writes the page of the streams, consumers, events and calls, and of what NATS lets each service do. */
export async function describeTopology(): Promise<string> {
  return [
    '# Topology',
    '',
    'Written by `npm run docs` from `libs/contracts`; do not edit. What crosses from one service to another, and nothing else.',
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
    `Streams and consumers carry \`herald-topology: ${topologyVersion}\`; a process that knows an older version leaves them as they are.`,
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
    'Request and reply, answered by any process of the service that the subject names. The limit is for the caller’s whole wait.',
    '',
    '| subject | limit |',
    '|---|---|',
    ...(await readCalls()).map(({ subject, timeoutMs }) => `| ${code([subject])} | ${timeoutMs / 1_000} s |`),
    '',
    '## Users',
    '',
    'What nats-server lets each service do, and nothing else; a client without a password is refused. The service that received a call may answer it once.',
    'What may be asked may be asked in other versions too (`.v2` behind the subject): processes of before and after an upgrade work side by side.',
    `Streams and consumers are made by ${streamsOwner} and the operator's command \`set-up queue\` alone: a stream or a consumer can copy any subject to any other.`,
    '',
    '| user | may publish | may subscribe to (queue group) |',
    '|---|---|---|',
    ...natsUsers.map((user) => {
      const { publish, subscribe } = rightsOf(user)
      return `| \`${natsUser(user)}\` | ${shortened(publish.filter((subject) => !subject.endsWith('.*') || !publish.includes(subject.slice(0, -2))))} | ${code(subscribe.map((one) => one.replace(/ (.*)$/, ' ($1)')))} |`
    }),
    '',
  ].join('\n')
}

/**
 * Shortens a list of subjects, because the gateway alone may make 60 calls. Calls whose subjects are equal up to the last dot are written together.
 */
function shortened(subjects: readonly string[]): string {
  const families = Map.groupBy(subjects, (subject) => (subject.startsWith('rpc.') ? subject.slice(0, subject.lastIndexOf('.')) : subject))
  return [...families]
    .map(([family, all]) =>
      all.length > 1 ? `\`${family}.\` ${all.map((one) => one.slice(family.length + 1)).join(', ')}` : `\`${all[0]}\``,
    )
    .join('; ')
}

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')

/** Lists every call of the contracts, by subject. */
export async function readCalls(): Promise<z.infer<typeof Call>[]> {
  const directory = join(root, 'libs', 'contracts', 'src', 'calls')
  const files = globSync('*.ts', { cwd: directory }).filter((file) => !file.endsWith('.test.ts'))
  const modules = await Promise.all(files.map((file): Promise<object> => import(pathToFileURL(join(directory, file)).href)))
  const calls = modules.flatMap((module) => Object.values(module)).flatMap((value) => Call.safeParse(value).data ?? [])
  return calls.toSorted((one, other) => (one.subject < other.subject ? -1 : 1))
}
