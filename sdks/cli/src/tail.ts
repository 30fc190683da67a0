import type { WebhookEvent } from '@herald/node'
import { connect } from './connection.ts'
import { watchEvents } from './event-stream.ts'
import { printable } from './printable.ts'
import type { Terminal } from './terminal.ts'

export type TailOptions = { app?: string; campaign?: string; failed?: boolean; json?: boolean }

const failures = ['notification.failed', 'subscription.invalidated']

/** Prints an app's events as they happen, one a line, until Ctrl-C. */
export async function tail(terminal: Terminal, { app, campaign, failed = false, json = false }: TailOptions): Promise<number> {
  const { herald, appPath } = connect(terminal, app)
  const isWanted = (event: WebhookEvent) =>
    (!failed || failures.includes(event.type)) && (campaign === undefined || ('campaignId' in event && event.campaignId === campaign))
  await watchEvents(
    herald,
    await appPath(),
    {
      opened: (isAgain) => terminal.say(isAgain ? 'Watching again. What happened in between is not shown.' : 'Watching. Ctrl-C ends it.'),
      event: (event) => isWanted(event) && terminal.out(json ? JSON.stringify(event) : lineOf(event)),
      dropped: (count) => terminal.say(`${count} events are not shown: more than 100 came in a second.`),
      broken: (reason) => terminal.say(`The stream broke (${reason}). Opening it again.`),
    },
    terminal.stop,
  )
  return 0
}

/** Gives the line that shows an event: its time, type, platform, user and campaign, and the reason if there is one. */
export function lineOf(event: WebhookEvent): string {
  const { ts, type } = event
  const {
    platform = '',
    externalId,
    userId = '',
    campaignId = '',
  } = event as { platform?: string; externalId?: string; userId?: string; campaignId?: string }
  const what = type.replace(/^notification\./, '')
  const parts = [
    new Date(ts).toLocaleTimeString('en-GB'),
    what.padEnd(11),
    platform.padEnd(7),
    printable(externalId ?? userId).padEnd(24),
    campaignId,
    detailOf(event),
  ]
  return parts.join('  ').trimEnd()
}

function detailOf(event: WebhookEvent): string {
  const data = ('data' in event ? event.data : undefined) as Record<string, unknown> | undefined
  if (data === undefined) return ''
  const said =
    event.type === 'campaign.completed'
      ? [`${String(data['queued'])} queued`]
      : [data['code'], data['reason'], data['providerCode'], data['action']]
  if (data['test'] === true) said.push('(test)')
  return printable(said.filter((value) => typeof value === 'string').join(' '))
}
