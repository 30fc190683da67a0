import { givenTenant } from '@herald/testing/tenant'
import { readOptions, say } from './options.ts'
import { keep } from './results.ts'
import { makeDevices, registerDevices, type Mix } from './crowd.ts'
import { startMeasuredHerald } from './measured-herald.ts'
import { installPeers, startPeers, type Peer } from './peers.ts'
import { medians, ratios, report, type Round } from './report.ts'
import { heraldSends, sendRound } from './send-round.ts'
import { startPoster } from './start-poster.ts'
import { perThing, readStatements, statementLines, statementsBetween } from './statements.ts'

const help = `npm run bench -- [--devices 20000] [--rounds 3] [--mix mixed|ios|android|web] [--peer] [--statements] [--keep]

Registers the devices at a platform of its own, sends one notification to all of them per round, and measures from the POST to the last push that the
simulator accepted. A round with a push too few or a copy is void. Run it on a quiet machine.

--peer        parse-server and node-pushnotifications send to as many devices at the same simulator, by turns with Herald. They are installed in
              bench/peers the first time (200 MB); parse-server gets a Postgres of its own.
--statements  what each statement cost (pg_stat_statements). It makes the run itself a little slower.
--keep        writes the result to bench/results/.`

const values = readOptions(help, { devices: 20_000, rounds: 3, mix: 'mixed', peer: false, statements: false, keep: false })

const isMix = (text: string): text is Mix => ['mixed', 'ios', 'android', 'web'].includes(text)
const { mix, devices: count } = values
if (!isMix(mix)) throw new Error(`--mix ${mix} is not one of mixed, ios, android, web`)

if (values.peer) installPeers(say)
const herald = await startMeasuredHerald({ statements: values.statements })
const poster = startPoster()
let peers: Peer[] = []
try {
  const tenant = await givenTenant(herald)
  const { posted, seconds } = await registerDevices(herald, tenant, poster, await makeDevices(tenant, mix, count))
  const registrationsPerSecond = Math.round(posted / seconds)
  say(`registered ${posted} devices in ${seconds.toFixed(1)} s (${registrationsPerSecond}/s)`)
  await herald.database.query('vacuum (analyze)')
  if (values.peer) peers = await startPeers(herald, tenant, { mix, count })

  const before = values.statements ? await readStatements(herald.database) : []
  const rounds: Round[] = []
  for (let number = 1; number <= values.rounds; number += 1) {
    for (const contender of [heraldSends(herald, tenant), ...peers]) {
      const round = await sendRound(contender, { herald, tenant }, count)
      rounds.push(round)
      const told = `${round.seconds.toFixed(2)} s, ${Math.round(round.pushesPerSecond)} pushes/s`
      say(`round ${number}, ${contender.name}: ${round.void === null ? told : `void: ${round.void}`}`)
      if (contender.name !== 'herald' && round.said.sent !== count) say(`  it says of itself: ${JSON.stringify(round.said)}`)
    }
  }
  const heraldPushes = rounds.filter(({ contender }) => contender === 'herald').length * count
  const statements = values.statements
    ? perThing(statementsBetween(before, await readStatements(herald.database)), heraldPushes)
    : undefined
  say('')
  for (const line of report(rounds)) say(line)
  if (statements) for (const line of statementLines(statements, 'push')) say(line)
  if (values.keep) {
    const result = {
      what: `${count} devices, ${mix}, one notification to all${values.peer ? ', beside peers' : ''}`,
      registrationsPerSecond,
      medians: medians(rounds),
      ratios: Object.fromEntries(peers.map(({ name }) => [name, ratios(rounds, name)])),
      rounds,
      ...(statements && { statements }),
    }
    const kind = [values.peer ? 'peers' : 'send', ...(statements ? ['statements'] : []), mix, String(count)].join('-')
    keep(kind, result)
  }
  // A run in which a round of Herald does not count must end with an error.
  if (rounds.some((round) => round.void !== null && round.contender === 'herald')) process.exitCode = 1
} finally {
  poster.stop()
  for (const peer of peers) await peer.stop()
  await herald.end()
}
