import { versionsSubject } from '@herald/contracts/call'
import { isInbox } from '@herald/contracts/grants'
import { wireVersion } from '@herald/contracts/wire-versions'
import type { NatsConnection } from '@nats-io/transport-node'
import { brokenContracts } from './broken-contracts.ts'
import type { Service } from './run.ts'

/** At most this long this process waits until another service says which version of a call it answers. */
const askLimitMs = 500

export type Versions = {
  /** Makes this process tell other services, from now on, that it answers this call. */
  answers(subject: string): void
  /**
   * Called when no process answers a call. When the other service answers another version of the call, gives words that name both versions, and logs
   * an error, at most once in ten seconds; otherwise gives undefined.
   */
  whyNobody(subject: string): Promise<string | undefined>
}

/** Tells other services which version of a call this process answers, and asks them for theirs. */
export function openVersions(service: Service, connection: NatsConnection): Versions {
  const { name, log } = service
  const answered = new Map<string, number>()
  const complaints = brokenContracts(
    service,
    'the other service speaks another version of a call: one of the two is older and must be replaced',
  )
  connection.subscribe(versionsSubject(name), {
    queue: name,
    callback: (error, message) => {
      if (error) return log.error({ err: error }, 'subscription failed')
      if (isInbox(message.reply ?? '')) message.respond(JSON.stringify({ version: answered.get(message.string()) ?? null }))
    },
  })
  return {
    answers: (subject) => void answered.set(subject, wireVersion(subject)),
    async whyNobody(subject) {
      const app = subject.split('.')[1] ?? ''
      const message = await connection.request(versionsSubject(app), subject, { timeout: askLimitMs }).catch(() => undefined)
      const theirs = message?.json<{ version: number | null }>().version
      const ours = wireVersion(subject)
      if (theirs === undefined || theirs === null || theirs === ours) return undefined
      complaints.note({ call: subject, theirs: String(theirs), ours: String(ours) }, undefined, [])
      return `is answered in version ${theirs}, and was asked in version ${ours}`
    },
  }
}
