import type { components } from '../../api/schema.gen.ts'
import type { StatusKind } from '../../ui/Status.tsx'

/** Gives the reachable device that was registered last. */
export function newestDevice<Device extends { createdAt: string; optedIn: boolean; invalidatedAt: string | null }>(
  devices: readonly Device[],
): Device | undefined {
  return devices
    .filter(({ optedIn, invalidatedAt }) => optedIn && invalidatedAt === null)
    .toSorted((one, other) => other.createdAt.localeCompare(one.createdAt))[0]
}

export type PushOfDevice = components['schemas']['ReadSubscriptionOfAppAnswer']['pushes'][number]

/** Says how far a push has come, by the last step that is known. */
export function pushState({ outcome, code, engagements }: Pick<PushOfDevice, 'outcome' | 'code' | 'engagements'>): {
  kind: StatusKind
  text: string
} {
  if (engagements.includes('clicked')) return { kind: 'good', text: 'clicked' }
  if (engagements.includes('opened')) return { kind: 'good', text: 'opened' }
  if (engagements.includes('dismissed')) return { kind: 'good', text: 'dismissed' }
  if (engagements.includes('delivered')) return { kind: 'good', text: 'delivered' }
  if (outcome === 'sent') return { kind: 'good', text: 'sent' }
  if (outcome === 'failed') return { kind: 'bad', text: `failed: ${code ?? 'no code'}` }
  if (outcome === 'skipped') return { kind: 'warning', text: `skipped: ${code ?? 'no code'}` }
  return { kind: 'busy', text: 'sending' }
}
