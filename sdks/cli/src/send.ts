import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { DryRun, Notification } from '@herald/node'
import { connect, isId, type Connection } from './connection.ts'
import { follow, type Outcome } from './follow.ts'
import { printable } from './printable.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

export type SendOptions = {
  app?: string
  to?: string[]
  segment?: string
  all?: boolean
  title?: string
  body?: string
  url?: string
  image?: string
  language?: string
  data?: string[]
  file?: string
  key?: string
  'dry-run'?: boolean
  yes?: boolean
  json?: boolean
  within?: string
}

/**
 * Sends a notification and waits until it has ended. Gives the exit code: 1 when a push failed, nobody was reached, or the send did not end in time.
 */
export async function send(terminal: Terminal, options: SendOptions): Promise<number> {
  const withinMs = readSeconds(options.within ?? '60') * 1000
  const connection = connect(terminal, options.app)
  const notification = await readNotification(connection, options)
  const isWide = !('externalIds' in notification.target || 'userIds' in notification.target || 'subscriptionIds' in notification.target)
  if (options['dry-run'] || (isWide && !options.yes)) {
    const dryRun = await askDryRun(connection, notification)
    if (options['dry-run'] && options.json) terminal.out(JSON.stringify(dryRun))
    else for (const line of linesOf(dryRun)) (options['dry-run'] ? terminal.out : terminal.say)(line)
    if (options['dry-run']) return 0
    await confirm(terminal, dryRun.audience.devices)
  }
  const startedAt = Date.now()
  const key = options.key ?? randomUUID()
  const id = connection.isAdministration
    ? await sendCampaign(connection, notification, key)
    : await sendNotification(connection, notification, key)
  if (!options.json) terminal.say(`sending, campaign ${id}`)
  const outcome = await follow(terminal, connection, id, withinMs)
  if (options.json) terminal.out(JSON.stringify({ id, ...outcome }))
  else for (const line of linesOfOutcome(outcome, Date.now() - startedAt)) terminal.out(line)
  const { status, stats } = outcome
  return status === 'sent' && stats.failed === 0 && stats.queued > 0 ? 0 : 1
}

export function readSeconds(text: string): number {
  const seconds = Number(text)
  if (!(seconds > 0 && seconds <= 86_400)) throw new UsageError('--within must be a number of seconds, at most 86400')
  return seconds
}

/** Makes the notification from the file of `--file`, in which the other options replace fields. The API checks it and names what is wrong. */
export async function readNotification(connection: Connection, options: SendOptions): Promise<Notification> {
  const { to, segment, all, title, body, url, image, language = 'en', data = [] } = options
  const file = options.file === undefined ? {} : readBody(options.file)
  const selectors = [to !== undefined, segment !== undefined, all === true].filter(Boolean).length
  if (selectors > 1) throw new UsageError('Give one of --to, --segment and --all.')
  const target: Notification['target'] | undefined = to
    ? { externalIds: to }
    : segment !== undefined
      ? { segmentId: await findSegment(connection, segment) }
      : all
        ? { all: true }
        : file.target
  if (target === undefined)
    throw new UsageError('To whom? Give --to <external id>, --segment <name or id>, --all, or a file with a target.')
  if ((title === undefined) !== (body === undefined)) throw new UsageError('--title and --body belong together.')
  const entry = { title: title ?? '', body: body ?? '', ...(url === undefined ? {} : { url }), ...(image === undefined ? {} : { image }) }
  const content = title === undefined ? {} : { content: { _default: language, [language]: entry } }
  const pairs = data.map((pair) => pair.split(/=(.*)/s, 2) as [string, string | undefined])
  if (pairs.some(([, value]) => value === undefined)) throw new UsageError('--data is a key and a value: --data order=17')
  return {
    ...file,
    ...content,
    ...(pairs.length > 0 ? { data: { ...file.data, ...(Object.fromEntries(pairs) as Record<string, string>) } } : {}),
    target,
  }
}

function readBody(file: string): Partial<Notification> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    throw new UsageError(`${file} cannot be read.`)
  }
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
  } catch {
    // The error below says that the file is no JSON object.
  }
  throw new UsageError(`${file} is not a JSON object, the body of POST /v1/notifications.`)
}

async function findSegment({ herald, isAdministration, appPath }: Connection, segment: string): Promise<string> {
  if (isId(segment)) return segment
  const path = isAdministration ? `${await appPath()}/segments` : '/v1/segments'
  const { items, segments } = await herald.request<Record<'items' | 'segments', { id: string; name: string }[] | undefined>>('GET', path, {
    query: { q: segment, limit: 200 },
  })
  const found = (items ?? segments ?? []).find(({ name }) => name === segment)
  if (!found) throw new UsageError(`There is no segment named ${segment}.`)
  return found.id
}

export async function askDryRun({ herald, isAdministration, appPath }: Connection, notification: Notification): Promise<DryRun> {
  const path = isAdministration ? `${await appPath()}/dry-run` : '/v1/notifications/dry-run'
  return herald.request<DryRun>('POST', path, { body: { notification }, repeatable: true })
}

async function confirm(terminal: Terminal, devices: number): Promise<void> {
  if (!terminal.isInteractive) throw new UsageError(`This goes to ${devices} devices. Say --yes to send it without being asked.`)
  if ((await terminal.ask(`Type ${devices} to send it:`)) !== String(devices)) throw new UsageError('Nothing was sent.')
}

const sendNotification = async ({ herald }: Connection, notification: Notification, idempotencyKey: string): Promise<string> =>
  (await herald.notifications.send(notification, { idempotencyKey })).id

/** Sends with the administration token, which sends campaigns only. A campaign has a segment and no list of users, so a segment names the users. */
export async function sendCampaign({ herald, appPath }: Connection, notification: Notification, idempotencyKey: string): Promise<string> {
  const { target, ...fields } = notification
  const path = `${await appPath()}/campaigns`
  const body = { ...fields, ...segmentOf(target), name: `herald send ${idempotencyKey}` }
  const { id } = await herald.request<{ id: string }>('POST', path, { body, idempotencyKey })
  await herald.request('POST', `${path}/${id}/send`, {
    repeatable: true,
    recover: async (error) => {
      const { status } = await herald.request<{ status: string }>('GET', `${path}/${id}`)
      return error.is('invalid_state') && status !== 'draft' ? { answer: undefined } : undefined
    },
  })
  return id
}

function segmentOf(target: Notification['target']): object {
  if ('segmentId' in target) return { segmentId: target.segmentId }
  if ('segment' in target) return { segment: target.segment }
  if ('externalIds' in target) return { segment: { field: 'externalId', op: 'in', value: target.externalIds } }
  if ('userIds' in target) return { segment: { field: 'userId', op: 'in', value: target.userIds } }
  if ('all' in target) return {}
  throw new UsageError('The administration sends to people, segments or everyone. For a target of devices use a secret key.')
}

function linesOf({ audience, unreachable, skips, waves, warnings }: DryRun): string[] {
  const { devices, users, byPlatform, exact } = audience
  const platforms = Object.entries(byPlatform).map(([platform, count]) => `${count} ${platform}`)
  return [
    `would reach ${exact ? '' : 'about '}${devices} devices of ${users} users (${platforms.join(', ')})`,
    ...(unreachable.optedOut + unreachable.invalidated > 0
      ? [`left out: ${unreachable.optedOut} opted out, ${unreachable.invalidated} with a dead token`]
      : []),
    ...skips.map(({ reason, devices: skipped }) => `would be skipped: ${skipped} ${reason}`),
    ...(waves.length > 1 ? [`in ${waves.length} waves, from ${waves[0]?.at} to ${waves.at(-1)?.at}`] : []),
    ...warnings.map(({ code, message }) => `note: ${printable(message)} (${code})`),
  ]
}

function linesOfOutcome({ status, stats, failures }: Outcome, ms: number): string[] {
  const { queued, sent, failed, skipped } = stats
  const nobody = queued === 0 && status === 'sent' ? ['It reached nobody: no such device is registered, opted in and alive.'] : []
  const codes = failures.map(({ platform, outcome, code, count }) => `  ${count} ${platform} ${outcome}: ${printable(code)}`)
  return [`${status}: ${sent} sent, ${failed} failed, ${skipped} skipped of ${queued} (${(ms / 1000).toFixed(1)} s)`, ...nobody, ...codes]
}
