import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { identityToken } from '@herald/node'
import type { Herald } from '@herald/testing/herald'
import { givenTenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import type { User } from '@herald/contracts/user'
import { ok, pushesOf, read, sendCampaign, untilSettled } from '../tests/campaigns.ts'

const version: string = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')).version

export type Finding = { what: string; isRight: boolean; found: unknown }

const nowhere = 'http://127.0.0.1:9'

/** A compiled program that calls an SDK: its command line for an address, a public key and a directory for its state. */
export type Program = {
  name: string
  platform: 'ios' | 'android'
  command: (baseUrl: string, publicKey: string, home: string) => { program: string; given: string[]; env?: NodeJS.ProcessEnv }
  /** What the SDK finds out about the phone; undefined when the test's machine has no such fact. */
  osVersion?: string
  deviceModel?: string
  /** The version of the app that it tells when it is given none, or finds out by itself. */
  tellsVersion: boolean
  /** Whether a report answers that it has arrived. */
  answersReports: boolean
  /** The file of the state that has the reports that wait, when it is a text. */
  reportsFile?: string
}

/** Starts a program. `tell` gives it a command and answers the line that it prints. */
function startClient(program: Program, baseUrl: string, publicKey: string, home: string) {
  mkdirSync(home, { recursive: true })
  const { program: file, given, env } = program.command(baseUrl, publicKey, home)
  const child = spawn(file, given, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  const logged: string[] = []
  child.stderr.setEncoding('utf8').on('data', (text: string) => void logged.push(text))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const tell = async (command: string): Promise<string> => {
    child.stdin.write(`${command}\n`)
    const { value, done } = await lines.next()
    if (done) throw new Error(`the client ended at: ${command}`)
    return value
  }
  return { tell, logged: () => logged.join(''), end: () => child.kill() }
}

/** Takes one device from its registration to its deletion with a program. Checks what the program answers and what Herald stores. */
export async function walkDevice(herald: Herald, program: Program, home: string): Promise<Finding[]> {
  const findings: Finding[] = []
  const check = (what: string, isRight: boolean, found: unknown) => void findings.push({ what, isRight, found })
  const tenant = await givenTenant(herald)
  const { platform, tellsVersion, answersReports } = program
  const [device] = await tenant.makeDevices(platform, 1)
  const token = device?.token ?? ''
  const [reported, unreported] = answersReports ? ['true', 'false'] : ['ok', 'ok']
  const { tell, logged, end } = startClient(program, herald.baseUrl, tenant.publicKey, home)
  const userOf = async (externalId: string) => (await tenant.call<User>('GET', `/v1/users/by-external-id/${externalId}`)).body

  try {
    check('registers', (await tell(`register ${platform} ${token}`)) === 'ok', undefined)
    const id = await tell('id')
    check('keeps the id of the subscription', /^[0-9a-f]{24}$/.test(id), id)
    await tell(`register ${platform} ${token}`)
    check(
      'an external id with quotes is logged in as it is',
      (await tell('login "q\\"')) === 'ok' && (await userOf(encodeURIComponent('"q\\"'))).subscriptions[0]?.id === id,
      undefined,
    )
    await tell('logout')
    check('a second start registers nothing new', (await tell('id')) === id, undefined)

    const [installed] =
      platform === 'android' ? await tenant.makeDevices('android', 1, { installationIds: true }) : await tenant.makeDevices('ios', 1)
    check(
      'registers a phone whose zone Herald refuses, without the zone',
      (await tell(`register ${platform} ${installed?.token} 1.1 GMT-06:00`)) === 'ok',
      undefined,
    )
    check('stays the same device when its token changes', (await tell('id')) === id, undefined)
    await tell(`register ${platform} ${installed?.token}`)

    await tell('login ada')
    await tell('tag plan pro')
    await tell('language fr')
    const ada = await userOf('ada')
    check(
      'logs in, tags and describes the user',
      ada.tags['plan'] === 'pro' && ada.language === 'fr' && ada.timezone === 'Europe/Berlin',
      ada,
    )
    check('reports a conversion', (await tell('convert order-17 order')) === 'ok', undefined)
    const { sdkVersion, osVersion, deviceModel, appVersion } = ada.subscriptions[0] ?? {}
    check(
      'tells the versions of the app, the system and the SDK, and the model',
      (appVersion === '1.1' || !tellsVersion) &&
        (program.osVersion === undefined ? (osVersion ?? '') !== '' : osVersion === program.osVersion) &&
        (program.deviceModel === undefined ? (deviceModel ?? '') !== '' : deviceModel === program.deviceModel) &&
        sdkVersion === version,
      ada.subscriptions,
    )

    const campaign = await sendCampaign(tenant, {}, 'sending')
    await untilSettled(tenant, campaign)
    const [push] = await pushesOf(tenant, campaign)
    const msgId = String(push?.msgId)
    for (const kind of ['delivered', 'clicked', 'dismissed'])
      check(`reports ${kind}`, (await tell(`${kind} ${msgId}`)) === reported, undefined)
    const { stats } = await read(tenant, campaign)
    check(
      'the reports are counted once each',
      stats.delivered === 1 && stats.opened === 1 && stats.clicked === 1 && stats.dismissed === 1,
      stats,
    )
    check('a forged report throws nothing', (await tell('delivered nothing.AAAA')) === unreported, undefined)

    ok(await tenant.admin('POST', '/categories', { id: 'offers', name: 'Offers {"now"}', default: 'in' }), 201)
    const shown = (isIn: boolean) => `offers,Offers {"now"},null,${isIn},false`
    check('shows the categories', (await tell('categories')) === shown(true), undefined)
    await tell('choose offers false')
    check('leaves a category', (await tell('categories')) === shown(false), undefined)
    await tell('choose offers')
    check('takes a choice back', (await tell('categories')) === shown(true), undefined)
    const offer = await sendCampaign(tenant, { category: 'offers' }, 'sending')
    await untilSettled(tenant, offer)
    check('leaves by a push', (await tell(`leave ${(await pushesOf(tenant, offer))[0]?.msgId}`)) === reported, undefined)
    check('and is out of its category', (await tell('categories')) === shown(false), undefined)

    if (program.name === 'Herald.swift') {
      const [holder] = await tenant.makeDevices('ios', 1)
      const update = async () => {
        const body = { activityId: 'match-3', event: 'update', attributesType: 'MatchAttributes', contentState: {} }
        const { id } = ok(await tenant.call<{ id: string }>('POST', '/v1/live-activities', body), 202)
        return (await untilSettled(tenant, id)).sent
      }
      await tell(`startToken MatchAttributes ${holder?.token}`)
      await tell(`activity match-3 ${holder?.token}`)
      check('tells the token of a Live Activity', (await update()) === 1, undefined)
      await tell('endActivity match-3')
      check('tells that a Live Activity has ended', (await update()) === 0, undefined)
    }
    check('tells Herald the number on its icon', (await tell('badge 41')) === 'ok', undefined)
    const counted = await sendCampaign(tenant, { presentation: { badgeIncrement: 1 } }, 'sending')
    await untilSettled(tenant, counted)
    const shownBadge = JSON.stringify((await pushesOf(tenant, counted))[0]?.payload)
    check('and a send goes on from it', /"(badge|notification_count)":42/.test(shownBadge), shownBadge)

    await tell('optOut')
    await tell(`register ${platform} ${token}`)
    const out = await userOf('ada')
    check('opted out stays opted out at the next start', out.subscriptions[0]?.optedIn === false, out.subscriptions)
    await tell('optIn')

    // No server listens at this address, so a change that the client makes now waits, even across a restart of the mobile app.
    const later = await sendCampaign(tenant, {}, 'sending')
    await untilSettled(tenant, later)
    const msgIdLater = (await pushesOf(tenant, later))[0]?.msgId
    await tell(`restart ${nowhere}`)
    check('a report while Herald is away throws nothing', (await tell(`clicked ${msgIdLater}`)) === unreported, undefined)
    check('a change while Herald is away throws nothing', (await tell('tag plan free')) === 'ok', undefined)
    await tell('restart')
    await tell('foreground')
    await until(async () => (await userOf('ada')).tags['plan'] === 'free', { what: 'the change that waited' })
    check('a change that waited arrives after a restart', true, undefined)
    const statsLater = (await read(tenant, later)).stats
    check('a report that waited arrives with the next call', statsLater.opened === 1 && statsLater.clicked === 1, statsLater)

    const forget = async () => ok(await tenant.call('DELETE', `/v1/subscriptions/${await tell('id')}`), 204)
    await forget()
    await tell(`register ${platform} ${token} 1.1`)
    check('a device that was removed at the server registers anew', (await tell('id')) !== id, id)
    check('and its user is logged in again', (await userOf('ada')).subscriptions[0]?.id === (await tell('id')), undefined)

    await forget()
    check('a change of a device that was removed succeeds', (await tell('tag plan silver')) === 'ok', undefined)
    const again = await userOf('ada')
    check(
      'it comes to the user, with the device registered again',
      again.tags['plan'] === 'silver' &&
        again.subscriptions[0]?.id === (await tell('id')) &&
        (again.subscriptions[0].appVersion === '1.1' || !tellsVersion),
      again,
    )

    await tell(`restart ${nowhere}`)
    await tell('login bob')
    await tell('tag plan basic')
    await tell('restart')
    await forget()
    await tell('foreground')
    const bob = await userOf('bob')
    check(
      'a login and a tag that waited are for the device that is registered again',
      bob.tags['plan'] === 'basic' && bob.subscriptions[0]?.id === (await tell('id')) && (await userOf('ada')).subscriptions.length === 0,
      bob,
    )
    await tell('login ada')

    await forget()
    await tell('optOut')
    await tell('tag plan none')
    await tell('foreground')
    check(
      'a device that was removed is not registered again while its user has opted out',
      (await tell('id')) === 'null' && (await userOf('ada')).subscriptions.length === 0,
      undefined,
    )
    await tell('optIn')
    const back = await userOf('ada')
    check('an opt-in registers it', back.subscriptions[0]?.optedIn === true && back.tags['plan'] === 'none', back)

    await tell('tag plan free')
    await tell(`restart ${nowhere}`)
    await tell('optOut')
    await tell('tag plan gold')
    await tell('logout')
    await tell('restart')
    await tell('foreground')
    const { userId } = ok(await tenant.call<{ userId: string }>('PATCH', `/v1/subscriptions/${await tell('id')}/user`, { tags: {} }), 200)
    const { body: anonymous } = await tenant.call<User>('GET', `/v1/users/${userId}`)
    check('logs out', (await userOf('ada')).subscriptions.length === 0, undefined)
    check(
      'a logout keeps an opt-out that waits, and drops a tag that waits',
      anonymous.subscriptions[0]?.optedIn === false &&
        anonymous.tags['plan'] === undefined &&
        (await userOf('ada')).tags['plan'] === 'free',
      anonymous,
    )

    ok(await tenant.admin('PATCH', '', { settings: { identityVerification: 'required' } }), 200)
    const { secret } = ok(await tenant.admin<{ secret: string }>('POST', '/identity-secret'), 201)
    check('a login without an identity token is refused', (await tell('login eve')) === 'refused 403 forbidden', undefined)
    writeFileSync(join(home, 'token-eve'), await identityToken(secret, 'eve'))
    await tell('login eve')
    check('a login carries the identity token', (await userOf('eve')).subscriptions.length === 1, undefined)
    await tell('optIn')
    await forget()
    await tell('foreground')
    check(
      'and the login of a device that is registered again does',
      (await userOf('eve')).subscriptions[0]?.id === (await tell('id')),
      undefined,
    )

    const secrets = [token, 'ada', 'eve', id]
    check('writes no token and no external id to a log', !secrets.some((secret) => logged().includes(secret)), logged())
    check('unregisters', (await tell('unregister')) === 'ok' && (await tell('id')) === 'null', undefined)
    check('and has removed the device', (await userOf('eve')).subscriptions.length === 0, undefined)
  } finally {
    end()
  }
  return findings
}

/** Shows how long the client waits and what it keeps, at a server that is busy when the test says so. */
export async function walkBusy(program: Program, home: string): Promise<Finding[]> {
  const findings: Finding[] = []
  const check = (what: string, isRight: boolean, found: unknown) => void findings.push({ what, isRight, found })
  let asked: { path: string; at: number }[] = []
  /** The refusals of the next requests. The server leaves a request with status 0 without an answer. */
  const busy: { status: number; retryAfter: string }[] = []
  const server = createServer((request, answer) => {
    asked.push({ path: String(request.url), at: Date.now() })
    const refusal = busy.shift()
    request.resume()
    if (refusal?.status === 0) return
    answer.writeHead(refusal?.status ?? 200, { 'content-type': 'application/json', ...(refusal && { 'retry-after': refusal.retryAfter }) })
    answer.end(refusal ? '{"error":{"code":"rate_limited","message":"later"}}' : '{"id":"0123456789abcdef01234567"}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { platform } = program
  const unreported = program.answersReports ? 'false' : 'ok'
  const { tell, end } = startClient(program, address, 'pk_live_busy', home)
  /** Tells the client to do something, and gives what it answers and what it asked the server meanwhile. */
  const during = async (command: string) => {
    asked = []
    return { answer: await tell(command), asked }
  }
  try {
    busy.push({ status: 503, retryAfter: '2' })
    const seconds = await during(`register ${platform} 0a0b0c0d`)
    const [first, second] = seconds.asked
    check('waits as many seconds as a 503 says', seconds.answer === 'ok' && Number(second?.at) - Number(first?.at) >= 2_000, seconds)

    const date = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 2_000)
    busy.push({ status: 429, retryAfter: date.toUTCString() })
    const dated = await during('tag plan pro')
    check('waits until the date that a 429 says', dated.asked.length === 2 && Number(dated.asked[1]?.at) >= +date, dated)

    await tell(`restart ${nowhere}`)
    for (let number = 0; number <= 50; number += 1) await tell(`delivered m${number}`)
    await tell(`restart ${address}`)
    const reports = (await during('foreground')).asked.filter(({ path }) => path.startsWith('/v1/e/'))
    const expected = Array.from({ length: 50 }, (_, place) => `/v1/e/d/m${50 - place}`)
    check('keeps the 50 newest reports', reports.map(({ path }) => path).join() === expected.join(), reports)

    if (program.reportsFile !== undefined) {
      const day = 86_400_000
      const line = (msgId: string, days: number) => `change=POST=d%2F${msgId}==${Date.now() - days * day}`
      writeFileSync(join(home, program.reportsFile), [line('young', 6), line('old', 8)].join('\n'))
      await tell(`restart ${address}`)
      const aged = (await during('foreground')).asked.map(({ path }) => path)
      check('drops a report after a week', aged.includes('/v1/e/d/young') && !aged.includes('/v1/e/d/old'), aged)
    }
    const front = (await during('foreground')).asked.map(({ path }) => path)
    check(
      'reports a session when the app comes to the foreground',
      front.some((path) => path.endsWith('/session')),
      front,
    )
    check('sends a report that has arrived no second time', !front.some((path) => path.startsWith('/v1/e/')), front)

    busy.push({ status: 0, retryAfter: '' })
    const began = Date.now()
    const unanswered = await during('delivered slow')
    const tookMs = Date.now() - began
    check('gives up a report without an answer within 5 s', unanswered.answer === unreported && tookMs <= 6_000, tookMs)
    const repeated = (await during('foreground')).asked.map(({ path }) => path)
    check('and sends it with the next call', repeated.includes('/v1/e/d/slow'), repeated)

    busy.push({ status: 0, retryAfter: '' })
    const asking = Date.now()
    const kept = await during('tag plan silver')
    check('gives up a change without an answer within 10 s', kept.answer === 'ok' && Date.now() - asking <= 11_000, kept)

    busy.push({ status: 429, retryAfter: '60' })
    const long = await during('tag plan free')
    check('does not block for a longer wait', long.answer === 'ok' && long.asked.length === 1, long)
    const resting = [
      await during('foreground'),
      await during('delivered m51'),
      await during(`restart ${address}`),
      await during('foreground'),
    ]
    check(
      'and sends nothing before its end, also after a restart',
      resting.every((one) => one.asked.length === 0),
      resting,
    )
    const refused = await during(`register ${platform} 0a0b0c0e`)
    check('a registration then says so', refused.answer === 'refused 0 asked_to_wait' && refused.asked.length === 0, refused)
  } finally {
    end()
    server.close()
    server.closeAllConnections()
  }
  return findings
}

/**
 * Shows what the side that knows the phone does with a push, at a server that writes down reports and what the phone shows, in their order. The phone is
 * one of stubs.
 */
export async function walkPhone(program: Program, home: string): Promise<Finding[]> {
  const findings: Finding[] = []
  const check = (what: string, isRight: boolean, found: unknown) => void findings.push({ what, isRight, found })
  const asked: string[] = []
  const server = createServer((request, answer) => {
    asked.push(String(request.url).replace('/v1/e', ''))
    request.resume()
    answer.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { tell, end } = startClient(program, address, 'pk_live_phone', home)
  const reported = (...paths: string[]) =>
    until(() => paths.every((path) => asked.includes(path)), { what: paths.join(), withinMs: 20_000 })
  const [link, other] = ['https://shop.example/orders/17', 'https://shop.example/basket']
  const buttons = JSON.stringify([
    { id: 'buy', title: 'buy', url: other },
    { id: 'later', title: 'later' },
  ])
  try {
    await tell(`receive m1 - - -`)
    await reported('/d/m1')
    check('shows a push before it reports it', asked.join() === '/shown/m1,/d/m1', asked)
    const tap = await tell('tap m1 - - -')
    await reported('/o/m1')
    check('a tap on a push without a link gives the app none', tap === 'null null', tap)

    const taps: string[] = []
    for (const action of ['buy', 'later', '-']) {
      // A tap on a button takes the notification away as well.
      await tell(`receive m2 - ${link} ${buttons}`)
      taps.push(await tell(`tap m2 ${action} ${link} ${buttons}`))
    }
    check(
      'gives the app the link of the button that was tapped, else the link of the push',
      taps.join() === `${other} buy,${link} later,${link} null`,
      taps,
    )
    await reported('/o/m2', '/c/m2', '/c/m2?action=buy', '/c/m2?action=later')

    await tell('receive m3 - - -')
    await tell('close m3')
    await reported('/x/m3')
    if (program.platform === 'android') {
      await tell('receive m4 score - -')
      const shown = await tell('receive m5 score - -')
      check('shows a push in the place of another with the same tag', shown === 'score', shown)
      await tell('close score')
      await reported('/x/m5')
    } else {
      const extended = [await tell(`extend m6 - - ${buttons}`), await tell('extend m7 - - -')]
      check(
        'the extension adds the buttons, and asks iOS to say when the user closes a push',
        extended.join() === 'buy=buy,later=later true, true',
        extended,
      )
      await reported('/d/m6', '/d/m7')
      check('the extension shows a push before it reports it', asked.indexOf('/shown/m6') < asked.indexOf('/d/m6'), asked)
    }
    const closed = asked.filter((path) => path.startsWith('/x/'))
    check(
      'reports dismissed for what the user closed alone',
      closed.join() === (program.platform === 'android' ? '/x/m3,/x/m5' : '/x/m3'),
      closed,
    )
    check('reports a click on a button or a link, and none on a push without one', !asked.includes('/c/m1'), asked)
  } catch (error) {
    check('the phone does what it is told', false, String(error))
  } finally {
    end()
    server.close()
    server.closeAllConnections()
  }
  return findings
}
