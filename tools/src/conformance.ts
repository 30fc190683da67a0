/**
 * A point that every SDK keeps, and what shows it: findings of e2e/mobile/walk.ts for each native file and its bridge, tests of the web SDK, and tests
 * of the frameworks' scripts. `why`: what keeps a gap open.
 */
export type Point = {
  number: number
  walk: readonly string[]
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
    web: ['the SDK reads Retry-After as whole seconds or as an HTTP date, and takes any other text for no wait'],
  },
  { number: 12, walk: ['gives up a change without an answer within 10 s'], web: [], why: 'no test leaves a page without an answer' },
  {
    number: 13,
    walk: [],
    web: ['a report that does not reach Herald is sent again with the next push'],
    why: 'a phone shows the push; the code that reports it after that was compiled only',
  },
  { number: 14, walk: ['gives up a report without an answer within 5 s'], web: [], why: 'no test leaves a worker without an answer' },
  {
    number: 15,
    walk: ['the reports are counted once each'],
    web: ['a push that comes twice is shown once; a click without a link is an open but no click'],
  },
  {
    number: 16,
    walk: [],
    web: ['a push replaced by one with its collapse id counts no dismissal; closing the last one does'],
    why: 'a phone says what the user closed',
  },
  {
    number: 17,
    walk: ['a report that waited arrives with the next call', 'sends a report that has arrived no second time'],
    web: ['a report that does not reach Herald is sent again with the next push'],
  },
  {
    number: 18,
    walk: [],
    web: ['a click on a notification opens its address in the open page, else in a new one'],
    script: ['calls the native'],
    why: 'a phone opens the link; the scripts give it to the app',
  },
  {
    number: 19,
    walk: [],
    web: ['a push that comes twice is shown once; a click without a link is an open but no click'],
    why: 'a phone replaces the notification; the code that sets the tag was compiled only',
  },
  {
    number: 20,
    walk: ['writes no token and no external id to a log'],
    web: ['a day with three page loads an hour costs one registration and login, no foreign request or leaking log'],
  },
]

/** The SDKs in the order of the table. */
export const columns = ['web', 'Kotlin', 'Swift', 'React Native', 'Capacitor', 'Flutter'] as const

/** Says whether a point runs for an SDK. `half`: the native half ran, and the other half did not. */
export function isRun({ walk, web, script }: Point, sdk: (typeof columns)[number]): 'run' | 'half' | '–' {
  if (sdk === 'web') return web.length > 0 ? 'run' : '–'
  if (sdk === 'Flutter') return walk.length > 0 ? 'half' : '–'
  const hasScript = sdk === 'React Native' || sdk === 'Capacitor'
  return walk.length > 0 || (hasScript && script !== undefined) ? 'run' : '–'
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
