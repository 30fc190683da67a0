import { client, dataOf } from '../api/client.ts'
import { faultOf } from '../api/fault.ts'
import { announce } from '../ui/Announcer.tsx'
import type { Needed } from '../session/May.tsx'
import { copy } from '../ui/copy.ts'
import { appPages, inboxPage, startPage } from './Navigation.tsx'
import { prefer } from './preferences.ts'

/** Gives the pages and actions that the palette offers without a search. */
export function paletteActions({
  appId,
  isSimulated,
  may,
  go,
  openHelp,
}: {
  appId: string | undefined
  isSimulated: boolean
  may: (needed: Needed) => boolean
  go: (href: string) => void
  openHelp: () => void
}): { label: string; run: () => void }[] {
  const pages =
    appId === undefined
      ? []
      : [...appPages.flat(), startPage, ...(isSimulated ? [inboxPage] : [])]
          .filter(({ needed }) => may(needed))
          .map(({ to, label }) => ({ label, run: () => go(to.replace('$appId', appId)) }))
  const ofApp =
    appId === undefined
      ? []
      : [
          ...(may('send')
            ? [
                { label: 'New segment', run: () => go(`/apps/${appId}/segments/new`) },
                { label: 'New template', run: () => go(`/apps/${appId}/templates/new`) },
              ]
            : []),
          { label: 'Copy the public key of Web Push', run: () => void copyWebPushKey(appId) },
        ]
  return [
    ...pages,
    ...ofApp,
    { label: 'All apps', run: () => go('/') },
    ...(may('platform') ? [{ label: 'Copy a sign-in link for a colleague', run: () => void copySignInLink() }] : []),
    { label: 'Theme: system', run: () => prefer({ theme: 'system' }) },
    { label: 'Theme: light', run: () => prefer({ theme: 'light' }) },
    { label: 'Theme: dark', run: () => prefer({ theme: 'dark' }) },
    { label: 'Keyboard shortcuts', run: openHelp },
    { label: 'Open the guides', run: () => void window.open('/docs/guide/', '_blank', 'noopener') },
    { label: 'Open the API’s documentation', run: () => void window.open('/docs', '_blank', 'noopener') },
  ]
}

async function copyWebPushKey(appId: string): Promise<void> {
  try {
    const { publicKey } = dataOf(await client.GET('/v1/admin/apps/{appId}/providers/webpush', { params: { path: { appId } } }))
    await copy(publicKey, 'The public key of Web Push is copied')
  } catch (error) {
    const { status, message } = faultOf(error)
    announce(status === 404 ? 'This app has no keys of Web Push yet: create them under Providers.' : message, 'bad')
  }
}

async function copySignInLink(): Promise<void> {
  try {
    const { url } = dataOf(await client.POST('/v1/admin/sign-in-links', { body: {} }))
    await copy(url, 'A link that signs in once, within 10 minutes, is copied')
  } catch (error) {
    announce(faultOf(error).message, 'bad')
  }
}
