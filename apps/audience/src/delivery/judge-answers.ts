import { maxTries, spellAnswers, type FinishBatch } from '@herald/contracts/batch'
import { isOutage, judge, type Heard, type Verdict } from './core/circuit.ts'
import type { Recent } from '../core/recent.ts'
import type { FinishedRow } from './store/batches.ts'
import { lockCircuits, nameOfCircuit, undoGuarded, updateCircuits, type CircuitKey, type CircuitRow } from './store/circuits.ts'
import type { Db } from '../store/tables.ts'

export type Finish = { row: FinishedRow; finish: FinishBatch }
/** What a finish's refused tokens come to, and the circuit on which they were refused. */
export type Judged = { verdict: Verdict; circuit: CircuitKey }
/** `noted`: as they are after it; `opened` and `closed` of them; `open`: the names of those that are open. */
export type Judgement = {
  judged: Map<Finish, Judged>
  noted: CircuitRow[]
  opened: CircuitRow[]
  closed: CircuitRow[]
  open: ReadonlySet<string>
}

/** When this process last noted sends on a circuit that has heard nothing else, and of which credentials; by the circuit's name. */
export type Healthy = Recent<{ credentialsVersion: number | null; notedAtMs: number }>
const noteEveryMs = 1_000

type Judging = { healthy: Healthy; outageProbeMs: number }

/**
 * What finished batches say about their circuits (spec: providers/circuit, providers/guard-many). Each circuit hears its answers in the
 * order of the finishes, opens or closes, and says what refused tokens come to; where one opens, what was invalidated on its
 * word is undone. The sends of a healthy circuit are noted once a second: else nothing is read or written for them.
 */
export async function judgeAnswers(db: Db, { healthy, outageProbeMs }: Judging, ended: Finish[]): Promise<Judgement> {
  const judgement: Judgement = { judged: new Map(), noted: [], opened: [], closed: [], open: new Set() }
  const all = ended.flatMap(heardBy)
  const keys = new Map(all.filter((one) => isNews(one, healthy)).map(({ circuit }) => [nameOfCircuit(circuit), circuit]))
  if (keys.size === 0) return judgement

  const before = new Map((await lockCircuits(db, [...keys.values()])).map((row) => [nameOfCircuit(row), row]))
  const after = new Map(before)
  for (const { finish, circuit: key, heard } of all) {
    const known = after.get(nameOfCircuit(key))
    if (!known) continue
    const { circuit, verdict } = judge(known, heard, known.now, outageProbeMs)
    after.set(nameOfCircuit(key), { ...known, ...circuit })
    if (heard.letters.includes('g')) keepMilder(judgement.judged, finish, { verdict, circuit: key })
  }

  judgement.noted = [...after.values()]
  judgement.open = new Set(judgement.noted.filter(({ state }) => state === 'open').map(nameOfCircuit))
  await updateCircuits(db, judgement.noted)
  for (const row of judgement.noted) {
    if (row.state === before.get(nameOfCircuit(row))?.state) continue
    judgement[row.state === 'open' ? 'opened' : 'closed'].push(row)
    // Who is away has refused no token.
    if (row.state === 'open' && !isOutage(row)) await undo(db, judgement, row)
  }
  return judgement
}

/** It was not the tokens: what was invalidated on the circuit's word is reachable again, and what was about to be is tried again. */
async function undo(db: Db, { judged }: Judgement, opened: CircuitKey): Promise<void> {
  const name = nameOfCircuit(opened)
  for (const one of judged.values()) if (one.verdict === 'dead' && nameOfCircuit(one.circuit) === name) one.verdict = 'retry'
  await undoGuarded(db, opened)
}

/** Whether there is anything in these finishes that a circuit has not heard. */
export const isAnythingNew = ({ healthy }: Pick<Judging, 'healthy'>, ended: Finish[]): boolean =>
  ended.some((one) => heardBy(one).some((heard) => isNews(heard, healthy)))

type HeardOn = { finish: Finish; circuit: CircuitKey; heard: Heard }

/** What a finish says, by circuit. A probe without an answer is heard too: a dead token tells as much as a send. */
function heardBy(one: Finish): HeardOn[] {
  const { row, finish } = one
  const answers = finish.answers.filter(({ seen }) => seen !== '')
  const isSilent = row.probes !== null && answers.every(({ environment }) => environment !== row.probes)
  return [...answers, ...(isSilent && row.probes !== null ? [{ environment: row.probes, seen: '', code: null }] : [])].map(
    ({ environment, seen, code }) => ({
      finish: one,
      circuit: { appId: row.app_id, platform: row.platform, environment },
      heard: {
        letters: spellAnswers(seen),
        code,
        credentialsVersion: finish.credentialsVersion,
        probe: row.probes === environment,
        foundDead: finish.dead.length > 0,
        exhausted: finish.unavailable.some((push) => push.environment === environment && push.tries >= maxTries),
      },
    }),
  )
}

function isNews({ circuit, heard }: HeardOn, healthy: Healthy): boolean {
  if (heard.probe || /[^s]/.test(heard.letters)) return true
  const known = healthy.get(nameOfCircuit(circuit))
  return known?.credentialsVersion !== heard.credentialsVersion || performance.now() - known.notedAtMs >= noteEveryMs
}

/** Tokens refused in two environments: what is final for one is not final while the other is in doubt. */
function keepMilder(judged: Map<Finish, Judged>, finish: Finish, next: Judged): void {
  const mildness = { dead: 0, failed: 1, retry: 2 }
  const known = judged.get(finish)
  if (!known || mildness[next.verdict] > mildness[known.verdict]) judged.set(finish, next)
}
