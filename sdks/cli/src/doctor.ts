import { HeraldError, type Herald } from '@herald/node'
import { appFindings } from './doctor-app.ts'
import { doctorDevice } from './doctor-device.ts'
import { certificateFinding } from './doctor-certificate.ts'
import { connect } from './connection.ts'
import { readStream } from './event-stream.ts'
import { tellFindings, unknownFinding, type DoctorOptions, type Finding } from './finding.ts'
import { readSettings } from './settings.ts'
import type { Terminal } from './terminal.ts'

type System = {
  version: string
  baseUrl: string | null
  trustedProxies: boolean
  database: string
  standby: 'none' | 'synchronous' | 'asynchronous' | null
  queue: string
  ledgerDifference: number | null
  simulator: boolean
}

const clockToleranceSeconds = 30
const streamWithinMs = 6_000

/**
 * Checks what often goes wrong with an installation, and prints what to do about each fault. Gives the exit code: 1 when there is a fault, else 2
 * when something could not be checked.
 */
export async function doctor(terminal: Terminal, options: DoctorOptions): Promise<number> {
  if (options.device !== undefined) return doctorDevice(terminal, options.device, options)
  return tellFindings(terminal, look(terminal, options.app), options)
}

async function* look(terminal: Terminal, app: string | undefined): AsyncGenerator<Finding> {
  const settings = readSettings(terminal.env)
  const certificate = await certificateFinding(settings.url)
  yield certificate
  if (certificate.state === 'fault') return yield rest('reachability, token, system, app')
  const { herald, appPath, isAdministration } = connect(terminal, app, settings)
  const reached = await reach(herald)
  yield* reached.findings
  if (!reached.answers) return yield rest('token, system, app')
  if (!isAdministration) {
    yield {
      check: 'token',
      state: 'unknown',
      says: 'A secret key cannot read the state of Herald and of the app: system, providers, circuits and webhooks were not checked.',
      remedy: 'Run herald login with an administration key or the administration token.',
    }
    return
  }
  const asked = await askSystem(herald)
  if ('system' in asked) yield* systemFindings(asked.system, settings.url, asked.headers)
  else {
    yield asked
    if (asked.state === 'fault') return yield rest('system, app')
  }
  const path = await appPath()
  yield await streamFinding(herald, path, terminal.stop)
  yield* appFindings(herald, path)
}

/** Gives the finding that the checks after a fault were not made, because they would all find the same fault. */
const rest = (checks: string): Finding => ({ check: 'the rest', state: 'unknown', says: `Not checked because of this fault: ${checks}.` })

/** Checks that Herald answers, that its database is there, and that its clock agrees with the clock of this machine. */
async function reach(herald: Herald): Promise<{ answers: boolean; findings: Finding[] }> {
  try {
    const response = await herald.open('GET', '/health', { retries: 0 })
    await response.body?.cancel()
    return {
      answers: true,
      findings: [
        { check: 'reachability', state: 'ok', says: 'Herald answers, and its database is there.' },
        clockFinding(response.headers),
      ],
    }
  } catch (error) {
    if (!(error instanceof HeraldError)) throw error
    // While the database is away, /health answers 503 with a body that is not one of Herald's error bodies, so the status alone decides.
    const isAway = error.status === 503
    const says = isAway ? 'Herald answers, but its database is away.' : error.message
    const remedy = isAway
      ? 'Look at Postgres, and at the gateway’s log.'
      : error.status === 0
        ? 'Is it running? Look at the address, the port, and a firewall or proxy in between.'
        : 'Something else answers at this address: look at the proxy before Herald.'
    return { answers: false, findings: [{ check: 'reachability', state: 'fault', says, remedy }] }
  }
}

function clockFinding(headers: Headers): Finding {
  const at = Date.parse(headers.get('date') ?? '')
  if (Number.isNaN(at)) return { check: 'clock', state: 'unknown', says: 'The answer has no date, so the clocks cannot be compared.' }
  const seconds = Math.round((Date.now() - at) / 1000)
  if (Math.abs(seconds) <= clockToleranceSeconds)
    return { check: 'clock', state: 'ok', says: 'Herald and this machine have the same time.' }
  const says = `Herald’s clock is ${Math.abs(seconds)} s ${seconds > 0 ? 'behind' : 'ahead of'} this machine’s.`
  return {
    check: 'clock',
    state: 'fault',
    says,
    remedy: 'Set both by NTP: signatures of webhooks, identity tokens and Apple’s provider tokens depend on it.',
  }
}

async function askSystem(herald: Herald): Promise<Finding | { system: System; headers: Headers }> {
  try {
    const response = await herald.open('GET', '/v1/admin/system')
    return { headers: response.headers, system: (await response.json()) as System }
  } catch (error) {
    if (!(error instanceof HeraldError)) throw error
    if (error.status === 401)
      return {
        check: 'token',
        state: 'fault',
        says: 'Herald does not take the token.',
        remedy: 'Run herald login, or set HERALD_TOKEN: to an administration key that is not revoked, or to what ADMIN_TOKEN is.',
      }
    if (error.status === 404)
      return {
        check: 'token',
        state: 'fault',
        says: 'Herald has no administration.',
        remedy: 'Set ADMIN_TOKEN of the gateway to 32 characters or more.',
      }
    return unknownFinding('system', error)
  }
}

function* systemFindings(system: System, url: string, headers: Headers): Generator<Finding> {
  yield { check: 'token', state: 'ok', says: `Herald takes it. It is version ${system.version}.` }
  yield proxyFinding(system.baseUrl, url, headers)
  if (!system.trustedProxies)
    yield {
      check: 'client addresses',
      state: 'note',
      says: 'TRUSTED_PROXIES is not set: the first address in x-forwarded-for is believed.',
      remedy:
        'Name all proxies before Herald in it, or let the proxy overwrite that header. Otherwise clients get around limits by address.',
    }
  for (const part of ['database', 'queue'] as const)
    if (system[part] !== 'ready')
      yield {
        check: part,
        state: 'fault',
        says: `The ${part} cannot be reached.`,
        remedy: `Look at ${part === 'queue' ? 'the nats-server' : 'Postgres'} and the gateway’s log.`,
      }
  if (system.standby === 'asynchronous')
    yield {
      check: 'standby',
      state: 'fault',
      says: 'The standby of the database is asynchronous: a failover loses the newest sends.',
      remedy: 'Make it synchronous (synchronous_standby_names of Postgres, synchronous_mode of Patroni).',
    }
  else if (system.standby === 'synchronous') yield { check: 'standby', state: 'ok', says: 'The database has a synchronous standby.' }
  const { ledgerDifference: difference } = system
  if (difference === null)
    yield {
      check: 'ledger',
      state: 'unknown',
      says: 'Herald has not compared all counters with the ledger yet, or its tracker is away.',
      remedy: 'Run herald doctor again in a minute. If this stays, look at the tracker’s log.',
    }
  else if (difference === 0) yield { check: 'ledger', state: 'ok', says: 'Counters and ledger agree.' }
  else
    yield {
      check: 'ledger',
      state: 'fault',
      says: `Counters and ledger differ by ${difference}.`,
      remedy: 'The tracker’s log names the campaigns, and GET …/campaigns/<id>/verify compares one. Report it: this should not be.',
    }
  if (system.simulator) yield { check: 'providers', state: 'note', says: 'They are simulated: nothing real is sent.' }
}

function proxyFinding(baseUrl: string | null, url: string, headers: Headers): Finding {
  const ours = new URL(url).origin
  if (headers.get('x-request-id') === null)
    return {
      check: 'proxy',
      state: 'fault',
      says: 'Answers lose their x-request-id on the way.',
      remedy: 'Let the proxy before Herald pass on all headers of answers.',
    }
  if (baseUrl === null || new URL(baseUrl).origin === ours)
    return { check: 'proxy', state: 'ok', says: `Herald knows itself as ${baseUrl ?? url}.` }
  return {
    check: 'proxy',
    state: 'fault',
    says: `Herald believes that it is at ${baseUrl}, and not at ${ours}.`,
    remedy: 'Let the proxy pass on Host and set x-forwarded-proto, or set HERALD_BASE_URL of the gateway.',
  }
}

/** Checks that the first event of a stream arrives within 6 s: a proxy that buffers answers would hold it back. */
async function streamFinding(herald: Herald, path: string, stop: AbortSignal): Promise<Finding> {
  const enough = new AbortController()
  const timer = setTimeout(() => enough.abort(), streamWithinMs)
  const pass = () => enough.abort()
  stop.addEventListener('abort', pass, { once: true })
  let isOpen = false
  try {
    await readStream(herald, `${path}/events`, enough.signal, (name) => {
      isOpen ||= name === 'watching'
      if (isOpen) enough.abort()
    })
  } catch (error) {
    if (error instanceof HeraldError && error.status === 404)
      return { check: 'app', state: 'fault', says: 'There is no such app.', remedy: 'Name another with --app.' }
    if (error instanceof HeraldError && error.is('forbidden')) return unknownFinding('streams', error)
    if (!isOpen && error instanceof HeraldError && error.status !== 0) return { check: 'streams', state: 'fault', says: error.message }
  } finally {
    clearTimeout(timer)
    stop.removeEventListener('abort', pass)
  }
  if (isOpen) return { check: 'streams', state: 'ok', says: 'Events come as they happen.' }
  const remedy = 'Let the proxy before Herald pass on answers as they come (nginx: proxy_buffering off).'
  return { check: 'streams', state: 'fault', says: 'A stream of events was opened, and nothing came.', remedy }
}
