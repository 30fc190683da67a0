import { HeraldError, type Herald } from '@herald/node'
import { connect, isId } from './connection.ts'
import { printable } from './printable.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

type Step = { step: string; result: 'pass' | 'stop' | 'wait' | 'info'; basis: string } & Record<string, unknown>
type Trace = { subscriptionId: string; platform: string | null; verdict: string; certainty: string; sentence: string; steps: Step[] }
type Explained = { campaignId: string; status: string; user: { id: string; externalId: string | null } | null; devices: Trace[] }

const signs = { pass: 'ok  ', stop: 'STOP', wait: 'wait', info: '    ' }
const bases: Record<string, string> = { recorded: 'recorded', frozen: 'as it was then', now: 'as it is now' }

/** Prints why a device, or each device of a user, got a campaign or did not. Gives the exit code: 1 when the campaign, device or user is unknown. */
export async function explain(terminal: Terminal, [campaignId, who]: string[], options: { app?: string; json?: boolean }): Promise<number> {
  if (campaignId === undefined || who === undefined) throw new UsageError('Give a campaign, and a device or an external id.')
  if (!isId(campaignId)) throw new UsageError(`${campaignId} is no id of a campaign: those have 24 characters, 0-9 and a-f.`)
  const { herald, appPath } = connect(terminal, options.app)
  const explained = await askExplain(herald, await appPath(), campaignId, who)
  if (!explained) {
    terminal.say(noSuch(campaignId, who))
    return 1
  }
  if (options.json) terminal.out(JSON.stringify(explained))
  else for (const line of linesOf(explained)) terminal.out(line)
  return 0
}

export const noSuch = (campaignId: string, who: string): string =>
  `There is no campaign ${campaignId} in this app, or no device or user ${printable(who)}.`

/** Asks why a device, or each device of a user, got a campaign or did not. Gives undefined when the campaign, device or user is unknown. */
export async function askExplain(herald: Herald, appPath: string, campaignId: string, who: string): Promise<Explained | undefined> {
  // A text of 24 hex digits may be a device's id, a user's id, or an external id of the same form. They are tried in this order.
  const meanings = isId(who) ? ['subscriptionId', 'userId', 'externalId'] : ['externalId']
  for (const meaning of meanings) {
    try {
      return await herald.request<Explained>('GET', `${appPath}/explain`, { query: { campaignId, [meaning]: who } })
    } catch (error) {
      if (!(error instanceof HeraldError && error.is('not_found'))) throw error
    }
  }
  return undefined
}

function linesOf({ campaignId, status, user, devices }: Explained): string[] {
  const whose = user ? `user ${user.externalId === null ? user.id : printable(user.externalId)}` : 'a user who is gone'
  if (devices.length === 0) return [`campaign ${campaignId} (${status}), ${whose}: no device`]
  return [
    `campaign ${campaignId} (${status}), ${whose}`,
    ...devices.flatMap(({ subscriptionId, platform, verdict, certainty, sentence, steps }) => [
      '',
      `device ${subscriptionId} (${platform ?? 'deleted'}): ${verdict}, ${certainty}`,
      `  ${printable(sentence)}`,
      ...steps.flatMap(linesOfStep),
    ]),
  ]
}

/** How an item is printed as a line, for each field of a step that is a list. */
const lists: Record<string, (item: Record<string, unknown>) => string> = {
  leaves: ({ path, field, op, wanted, actual, matched }) =>
    `${matched === true ? 'ok  ' : 'STOP'}  ${textOf(path)}: ${textOf(field)} ${textOf(op)} ${textOf(wanted)}, is ${textOf(actual)}`,
  attempts: ({ n, at, code, providerCode }) =>
    `try ${textOf(n)} at ${textOf(at)}: ${code === null ? 'taken' : textOf(code)} (${textOf(providerCode)})`,
  reports: ({ kind, at }) => `${textOf(kind)} at ${textOf(at)}`,
}

function linesOfStep({ step, result, basis, ...fields }: Step): string[] {
  const said = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)
  const isList = ([name, value]: [string, unknown]) => name in lists && Array.isArray(value)
  const about = said.filter((field) => !isList(field)).map(([name, value]) => `${name} ${textOf(value)}`)
  return [
    `  ${signs[result]}  ${step.padEnd(13)}  ${about.join(', ')}${about.length === 0 ? '' : ' '}(${bases[basis] ?? basis})`,
    ...said
      .filter(isList)
      .flatMap(([name, value]) => (value as Record<string, unknown>[]).map((item) => `        ${(lists[name]?.(item) ?? '').trimEnd()}`)),
  ]
}

const textOf = (value: unknown): string =>
  printable(typeof value === 'string' ? value : value === undefined || value === null ? 'absent' : JSON.stringify(value))
