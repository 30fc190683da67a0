/**
 * A point that every SDK keeps, and what shows it: findings of e2e/mobile/walk.ts for each native file and its bridge, tests of the web SDK, and tests
 * of the frameworks' scripts. `why`: what keeps a gap open.
 */
export type Point = {
  number: number
  walk: readonly string[]
  /** Findings of a phone of stubs, of HeraldPushes.kt or HeraldPushes.swift, which the frameworks' packages have too. */
  phone?: { Kotlin?: readonly string[]; Swift?: readonly string[] }
  web: readonly string[]
  script?: readonly string[]
  why?: string
}

export const points: readonly Point[] = [
  {
    number: 1,
    walk: ['a second start registers nothing new', 'stays the same device when its token changes'],
    web: ['when the push service forgets a browser, the browser subscribes again and stays the same device'],
  },
  {
    number: 2,
    walk: ['keeps the id of the subscription'],
    web: ['the next page reads what an earlier page stored, separately for each scope of a service worker'],
  },
  {
    number: 3,
    walk: ['opted out stays opted out at the next start'],
    web: ['a user who opted out stays opted out after a restart, a week later, and when the page subscribes again'],
  },
  {
    number: 4,
    walk: ['registers a phone whose zone Herald refuses, without the zone', 'logs in, tags and describes the user'],
    web: [],
    why: 'no browser gives a zone that Herald refuses',
  },
  {
    number: 5,
    walk: ['reports a session when the app comes to the foreground'],
    web: ['a user who opted out stays opted out after a restart, a week later, and when the page subscribes again'],
    script: ['reports a session when the app comes back'],
  },
  {
    number: 6,
    walk: ['logs in, tags and describes the user', 'logs out'],
    web: ['a user logs in and out, a repeated login makes no second request, and a refused identity token changes nothing'],
  },
  {
    number: 7,
    walk: ['a login carries the identity token', 'and the login of a device that is registered again does'],
    web: ['a user logs in and out, a repeated login makes no second request, and a refused identity token changes nothing'],
    script: ['the native part gets the identity token that it asks for'],
  },
  {
    number: 8,
    walk: ['a change that waited arrives after a restart'],
    web: ['when Herald is away at the start, what the page does meanwhile is sent when Herald is back'],
  },
  {
    number: 9,
    walk: ['a logout keeps an opt-out that waits, and drops a tag that waits'],
    web: ['a logout drops waiting logins and changes of user data, and keeps a waiting registration or opt-out'],
  },
  {
    number: 10,
    walk: [
      'it comes to the user, with the device registered again',
      'a device that was removed is not registered again while its user has opted out',
    ],
    web: ['a device that was removed in Herald is registered again, as a new device, when the page next changes something'],
  },
  {
    number: 11,
    walk: [
      'waits as many seconds as a 503 says',
      'waits until the date that a 429 says',
      'and sends nothing before its end, also after a restart',
    ],
    web: [
      'the SDK reads Retry-After as whole seconds or as an HTTP date, and takes any other text for no wait',
      'a page sends nothing before the end of a Retry-After',
    ],
  },
  {
    number: 12,
    walk: ['gives up a change without an answer within 10 s'],
    web: ['a page gives up an unanswered request within 10 s, a worker a report, which it keeps, within 5 s'],
  },
  {
    number: 13,
    walk: [],
    phone: {
      Kotlin: ['shows a push before it reports it'],
      Swift: ['shows a push before it reports it', 'the extension shows a push before it reports it'],
    },
    web: ['a report that does not reach Herald is sent again with the next push'],
  },
  {
    number: 14,
    walk: ['gives up a report without an answer within 5 s'],
    web: ['a page gives up an unanswered request within 10 s, a worker a report, which it keeps, within 5 s'],
  },
  {
    number: 15,
    walk: ['the reports are counted once each'],
    web: ['a push that comes twice is shown once; a click without a link is an open but no click'],
  },
  {
    number: 16,
    walk: [],
    phone: {
      Kotlin: ['reports dismissed for what the user closed alone'],
      Swift: [
        'reports dismissed for what the user closed alone',
        'the extension adds the buttons, and asks iOS to say when the user closes a push',
      ],
    },
    web: ['a push replaced by one with its collapse id counts no dismissal; closing the last one does'],
  },
  {
    number: 17,
    walk: ['a report that waited arrives with the next call', 'sends a report that has arrived no second time'],
    web: ['a report that does not reach Herald is sent again with the next push'],
  },
  {
    number: 18,
    walk: [],
    phone: {
      Kotlin: ['gives the app the link of the button that was tapped, else the link of the push'],
      Swift: ['gives the app the link of the button that was tapped, else the link of the push'],
    },
    web: ['a click on a notification opens its address in the open page, else in a new one'],
    script: ['calls the native'],
  },
  {
    number: 19,
    walk: [],
    phone: { Kotlin: ['shows a push in the place of another with the same tag'] },
    web: ['a push that comes twice is shown once; a click without a link is an open but no click'],
    why: 'iOS replaces a notification by itself, by the header apns-collapse-id',
  },
  {
    number: 20,
    walk: ['writes no token and no external id to a log'],
    web: ['a day with three page loads an hour costs one registration and login, no foreign request or leaking log'],
  },
]

/** The SDKs in the order of the table. */
export const columns = ['web', 'Kotlin', 'Swift', 'React Native', 'Capacitor', 'Flutter'] as const

/** Says whether a point runs for an SDK, for a framework's package on both systems. `half`: the native half ran, and the other half did not. */
export function isRun({ walk, phone = {}, web }: Point, sdk: (typeof columns)[number]): 'run' | 'half' | '–' {
  if (sdk === 'web') return web.length > 0 ? 'run' : '–'
  const on = (system: 'Kotlin' | 'Swift') => walk.length > 0 || phone[system] !== undefined
  if (sdk === 'Kotlin' || sdk === 'Swift') return on(sdk) ? 'run' : '–'
  if (!on('Kotlin') && !on('Swift')) return '–'
  return on('Kotlin') && on('Swift') && sdk !== 'Flutter' ? 'run' : 'half'
}

/** Gives the table of docs/conformance.md. */
export function conformanceTable(rules: ReadonlyMap<number, string>): string {
  const rows = points.map((point) => {
    const cells = columns.map((sdk) => isRun(point, sdk))
    return [String(point.number), rules.get(point.number) ?? '', ...cells, point.why ?? '']
  })
  const all = [['#', 'a client', ...columns, 'where nothing runs'], ...rows]
  const widths = all[0]?.map((_, place) => Math.max(...all.map((row) => row[place]?.length ?? 0))) ?? []
  const line = (row: readonly string[]) => `| ${row.map((cell, place) => cell.padEnd(widths[place] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = all
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}
