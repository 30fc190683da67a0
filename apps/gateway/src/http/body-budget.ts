import { Fault } from '@herald/contracts/fault'

/**
 * The bytes of all bodies that this process is reading (32 MiB), the most of one address or key, and the most of all callers without a credential of
 * their own. The rest stays free for backends.
 */
const mostBytes = 33_554_432
const mostOfOne = mostBytes / 4
const mostOfStrangers = mostBytes / 2
/** The first bytes of a body count for nothing, so that a full budget refuses no small request: its connection takes more memory than they do. */
const freeBytes = 4_096

/**
 * Bounds the memory of bodies that are being read (spec: limits/body-budget). `open` begins a body, and asks for its owner when it becomes large.
 * `arrived` counts bytes and throws `rate_limited` when there are too many. `close` gives them back.
 */
export type BodyOwner = { name: string; isStranger: boolean }
export type BodyBudget = { open(ownerOf: () => BodyOwner): { arrived(bytes: number): void; close(): void } }

export function openBodyBudget(onRefused: () => void): BodyBudget {
  const held = new Map<string, number>()
  let [all, ofStrangers] = [0, 0]
  return {
    open(ownerOf) {
      let owner: BodyOwner | undefined
      let free = freeBytes
      let own = 0
      return {
        arrived(bytes) {
          const counted = Math.max(0, bytes - free)
          free = Math.max(0, free - bytes)
          if (counted === 0) return
          owner ??= ownerOf()
          const { name, isStranger } = owner
          const ofOwner = (held.get(name) ?? 0) + counted
          const isTooMuch = isStranger && ofStrangers + counted > mostOfStrangers
          if (isTooMuch || all + counted > mostBytes || ofOwner > mostOfOne) {
            onRefused()
            throw tooMuch()
          }
          own += counted
          all += counted
          if (isStranger) ofStrangers += counted
          held.set(name, ofOwner)
        },
        close() {
          if (own === 0 || !owner) return
          all -= own
          if (owner.isStranger) ofStrangers -= own
          const left = (held.get(owner.name) ?? 0) - own
          if (left > 0) held.set(owner.name, left)
          else held.delete(owner.name)
          own = 0
        },
      }
    },
  }
}

const tooMuch = (): Fault =>
  new Fault('rate_limited', 'Too many bodies are being read at once. Try again in 1 second.', undefined, undefined, 1)
