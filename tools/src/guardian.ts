// The guardian outlives the starter, which writes its children to the guardian's input (`+ <pid> <kind> <identity>`, `- <pid>`). When the input ends,
// it stops those left within 4.5 s, services first. Its own session keeps Ctrl-C away.
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { identityOf } from '@herald/embedded/processes'
import type { GuardedKind } from './guard.ts'

const guarded = new Map<number, { kind: GuardedKind; identity: string }>()

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)

for await (const line of createInterface({ input: process.stdin })) {
  const [sign, pid, kind, ...identity] = line.split(' ')
  if (sign === '-') guarded.delete(Number(pid))
  else if (kind === 'app' || kind === 'nats-server' || kind === 'postgres') guarded.set(Number(pid), { kind, identity: identity.join(' ') })
}

signal('app', 'SIGTERM')
await untilGone(['app'], 2_000)
signal('app', 'SIGKILL')
signal('nats-server', 'SIGTERM')
signal('postgres', 'SIGINT')
await untilGone(['app', 'nats-server', 'postgres'], 1_500)
signal('nats-server', 'SIGKILL')
signal('postgres', 'SIGQUIT')
await untilGone(['nats-server', 'postgres'], 800)
signal('postgres', 'SIGKILL')

/** Lists the children of these kinds that still run. Another process may have the pid of a child by now, but not its identity. */
function living(kinds: GuardedKind[]): number[] {
  return [...guarded].filter(([pid, { kind, identity }]) => kinds.includes(kind) && identityOf(pid) === identity).map(([pid]) => pid)
}

function signal(kind: GuardedKind, name: NodeJS.Signals): void {
  for (const pid of living([kind])) {
    try {
      process.kill(pid, name)
    } catch {
      // The process ended after the list was made.
    }
  }
}

async function untilGone(kinds: GuardedKind[], limitMs: number): Promise<void> {
  const deadline = Date.now() + limitMs
  while (living(kinds).length > 0 && Date.now() < deadline) await wait(50)
}
