import type { Push } from '../chaos/scenario-result.ts'

type Shown = { message?: { android: { collapse_key: string; notification: { tag: string } } }; tag?: string }

/** Gives what makes a push take the place of an earlier one: APNs' collapse id, FCM's collapse key and tag, Web Push's topic and tag. */
export function identityOf({ headers, payload }: Push): Record<string, string | undefined> {
  const { message, tag } = payload as Shown
  return {
    collapseId: headers['collapseId'],
    topic: message === undefined && tag !== undefined ? headers['topic'] : undefined,
    collapseKey: message?.android.collapse_key,
    tag: message?.android.notification.tag ?? tag,
  }
}
