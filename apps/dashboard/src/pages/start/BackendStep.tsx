import { useState } from 'react'
import { sendSnippets } from '../../core/snippets.ts'
import { Code } from '../../ui/Code.tsx'
import { Tabs } from '../../ui/Tabs.tsx'

type Kind = keyof typeof sendSnippets
const tabs = (Object.keys(sendSnippets) as Kind[]).map((value) => ({ value, label: sendSnippets[value].label }))

/**
 * Shows code with which a backend sends the same push. The code reads the secret key from an environment variable, and step 1 shows the block for
 * .env that sets this variable.
 */
export function BackendStep({
  baseUrl,
  deviceId,
  title,
  body,
}: {
  baseUrl: string
  deviceId: string | undefined
  title: string
  body: string
}) {
  const [kind, setKind] = useState<Kind>('curl')
  const { text, language } = sendSnippets[kind]
  return (
    <div className="flex max-w-3xl flex-col gap-3">
      <p className="text-muted">
        The same push, sent by your backend. <code className="font-mono text-xs">HERALD_SECRET_KEY</code> is in the block of step 1.
      </p>
      <Tabs label="Language" value={kind} onChange={setKind} items={tabs} />
      <Code text={text({ baseUrl, subscriptionId: deviceId ?? '<the device’s id>', title, body })} language={language} />
    </div>
  )
}
