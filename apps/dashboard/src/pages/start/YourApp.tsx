import { useState } from 'react'
import { completed, registrationSnippets } from '../../core/snippets.ts'
import { Code } from '../../ui/Code.tsx'
import { Status } from '../../ui/Status.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import { useWebPushKey } from './useWebPushKey.ts'

type Kind = keyof typeof registrationSnippets
const tabs = (Object.keys(registrationSnippets) as Kind[]).map((value) => ({ value, label: registrationSnippets[value].label }))

/** Shows snippets with which a site or a mobile app registers its devices, and says whether the first device has registered. */
export function YourApp({
  appId,
  baseUrl,
  publicKey,
  hasDevice,
}: {
  appId: string
  baseUrl: string
  publicKey: string | undefined
  hasDevice: boolean
}) {
  const [kind, setKind] = useState<Kind>('html')
  const { publicKey: vapidPublicKey } = useWebPushKey(appId)
  const { text, language } = registrationSnippets[kind]
  const facts = completed({
    baseUrl,
    ...(publicKey === undefined ? {} : { publicKey }),
    ...(typeof vapidPublicKey === 'string' ? { vapidPublicKey } : {}),
  })
  return (
    <div className="flex max-w-3xl flex-col gap-3">
      <Tabs label="How your app is made" value={kind} onChange={setKind} items={tabs} />
      <Code text={text(facts)} language={language} />
      <p className="text-muted">
        Apple’s and Google’s credentials are set under{' '}
        <TextLink to="/apps/$appId/providers" params={{ appId }}>
          Providers
        </TextLink>
        , the keys of Web Push as well.
      </p>
      <p role="status">
        {hasDevice ? (
          <Status kind="good">The first device is registered</Status>
        ) : (
          <Status kind="busy">Waiting for the first registration</Status>
        )}
      </p>
    </div>
  )
}
