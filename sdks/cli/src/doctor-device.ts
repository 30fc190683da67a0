import { HeraldError, type Herald } from '@herald/node'
import { connect, isId } from './connection.ts'
import { wait } from './event-stream.ts'
import { tellFindings, unknownFinding, type DoctorOptions, type Finding } from './finding.ts'
import { readSeconds } from './send.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

type Push = { campaignId: string; outcome: string; engagements: string[] }
type Device = {
  platform: string
  optedIn: boolean
  invalidatedAt: string | null
  lastSessionAt: string | null
  user: { externalId: string | null }
}
type Tested = { id: string; results: { outcome: string; code: string | null; providerCode: string | null }[] }

const lookMs = 500

/**
 * Sends a test push to one device and checks: registered, sent, delivered, opened. Names the API call that its program has not made. Gives the exit
 * code: 1 when a step failed, 2 when Herald did not allow a check.
 */
export async function doctorDevice(terminal: Terminal, id: string, options: DoctorOptions): Promise<number> {
  if (!isId(id))
    throw new UsageError('--device takes the id of a subscription, as its registration answered it: 24 characters, 0-9 and a-f.')
  const withinMs = readSeconds(options.within ?? '60') * 1000
  const { herald, appPath } = connect(terminal, options.app)
  return tellFindings(terminal, walkOrTell(terminal, herald, await appPath(), id, withinMs), options)
}

async function* walkOrTell(...given: Parameters<typeof walk>): AsyncGenerator<Finding> {
  try {
    yield* walk(...given)
  } catch (error) {
    yield unknownFinding('the next step', error)
  }
}

async function* walk(terminal: Terminal, herald: Herald, path: string, id: string, withinMs: number): AsyncGenerator<Finding> {
  const device = await herald.request<Device>('GET', `${path}/subscriptions/${id}`).catch((error: unknown) => {
    if (!(error instanceof HeraldError && error.is('not_found'))) throw error
    return undefined
  })
  const registered = registeredFinding(device)
  yield registered
  if (!device || registered.state === 'fault') return
  yield sessionFinding(device)

  const content = { _default: 'en', en: { title: 'A test of Herald', body: 'Open this notification.' } }
  const tested = await herald.request<Tested>('POST', `${path}/test-send`, {
    body: { subscriptionId: id, content },
    idempotencyKey: crypto.randomUUID(),
    timeoutMs: 20_000,
  })
  const sent = sentFinding(tested)
  yield sent
  if (sent.state === 'fault') return

  terminal.say(`Waiting up to ${withinMs / 1000} s for the device. Open the notification on it.`)
  const seconds = withinMs / 1000
  const wanted = wantedOf(device.platform)
  const kinds = await hear(terminal, herald, `${path}/pushes`, { id, campaignId: tested.id }, withinMs)
  for (const { kind, letter, hint } of wanted) {
    if (kinds.has(kind)) yield { check: kind, state: 'ok', says: `The device reported it (${letter}).` }
    else
      yield {
        check: kind,
        state: 'fault',
        says: `Sent, but no \`${letter}\` within ${seconds} s: POST /v1/e/${letter}/<msgId> did not come.`,
        remedy: hint,
      }
  }
}

function registeredFinding(device: Device | undefined): Finding {
  const check = 'registered'
  if (!device)
    return {
      check,
      state: 'fault',
      says: 'There is no such device in this app.',
      remedy: 'Does the app call POST /v1/subscriptions, with the public key of this app?',
    }
  const { platform, optedIn, invalidatedAt, user } = device
  if (invalidatedAt !== null)
    return {
      check,
      state: 'fault',
      says: `The provider said at ${invalidatedAt} that its token is dead.`,
      remedy: 'Start the app: POST /v1/subscriptions with its present token revives the device.',
    }
  if (!optedIn)
    return {
      check,
      state: 'fault',
      says: 'The device has opted out.',
      remedy: 'PATCH /v1/subscriptions/:id with {"optedIn": true}, if its user wants it.',
    }
  return {
    check,
    state: 'ok',
    says: `${platform}, ${user.externalId === null ? 'of an anonymous user' : 'of a user who is logged in'}.`,
  }
}

const sessionFinding = ({ lastSessionAt }: Device): Finding =>
  lastSessionAt === null
    ? {
        check: 'session',
        state: 'note',
        says: 'The device has had no session.',
        remedy: 'Call POST /v1/subscriptions/:id/session when the app comes to the foreground.',
      }
    : { check: 'session', state: 'ok', says: `The last one began at ${lastSessionAt}.` }

function sentFinding({ id, results }: Tested): Finding {
  const [result] = results
  if (!result)
    return {
      check: 'sent',
      state: 'fault',
      says: `The test has no outcome after 10 s (campaign ${id}).`,
      remedy: `herald explain ${id} <device> says what it waits for.`,
    }
  const { outcome, code, providerCode } = result
  if (outcome === 'sent') return { check: 'sent', state: 'ok', says: 'The provider took the test push.' }
  return {
    check: 'sent',
    state: 'fault',
    says: `The test push was ${outcome}: ${code ?? ''} ${providerCode ?? ''}`.trimEnd(),
    remedy: `herald explain ${id} <device> says more; herald doctor checks the credentials.`,
  }
}

/** The two reports that a device of the platform sends, delivered and opened, each with a hint where the program on the device may lack the call. */
function wantedOf(platform: string): { kind: string; letter: string; hint: string }[] {
  const delivered: Record<string, string> = {
    ios: 'Is the notification service extension installed, in the same app group, and does it call the tracking endpoint before contentHandler?',
    android: 'Does onMessageReceived call the tracking endpoint with data.msgId? Is the app forbidden to work in the background?',
    web: 'Does the service worker call it in the push event, inside waitUntil? With the SDK: is reportDelivered on?',
  }
  const opened: Record<string, string> = {
    ios: 'Was it opened? Then userNotificationCenter(_:didReceive:) does not call the tracking endpoint with herald.msgId.',
    android: 'Was it opened? Then the activity that the tap opens does not call the tracking endpoint with data.msgId.',
    web: 'Was it opened? Then the service worker’s notificationclick does not call the tracking endpoint.',
  }
  return [
    { kind: 'delivered', letter: 'd', hint: delivered[platform] ?? '' },
    { kind: 'opened', letter: 'o', hint: opened[platform] ?? '' },
  ]
}

/** Waits until the device has reported the push as delivered and as opened, at most `withinMs`. Gives what the device reported. */
async function hear(
  terminal: Terminal,
  herald: Herald,
  path: string,
  { id, campaignId }: { id: string; campaignId: string },
  withinMs: number,
): Promise<Set<string>> {
  const endsAt = Date.now() + withinMs
  for (;;) {
    const { items } = await herald.request<{ items: Push[] }>('GET', path, { query: { campaignId, subscriptionId: id, limit: 1 } })
    const kinds = new Set(items[0]?.engagements ?? [])
    if ((kinds.has('delivered') && kinds.has('opened')) || Date.now() >= endsAt || terminal.stop.aborted) return kinds
    await wait(lookMs, terminal.stop)
  }
}
