import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useAppId } from '../../session/useAppId.ts'
import { ComposeStart } from './ComposeStart.tsx'
import type { ComposeSearch } from './search.ts'

/** Writes a message: who gets it, what it says, when, and what would come of it. */
export function ComposePage() {
  const appId = useAppId()
  const { campaignId } = useParams({ strict: false })
  const navigate = useNavigate()
  // A message that becomes a draft while the operator writes stays on this page; another id in the address makes a new page.
  const [page, setPage] = useState<{ appId: string; campaignId: string | undefined; key: string }>(() => ({
    appId,
    campaignId,
    key: crypto.randomUUID(),
  }))
  const [madeId, setMadeId] = useState<string>()
  if (page.appId !== appId || page.campaignId !== campaignId) {
    const isSame = page.appId === appId && page.campaignId === undefined && campaignId !== undefined && campaignId === madeId
    setPage({ appId, campaignId, key: isSame ? page.key : crypto.randomUUID() })
    if (!isSame) setMadeId(undefined)
  }
  const made = (id: string) => {
    setMadeId(id)
    void navigate({ to: '/apps/$appId/compose/$campaignId', params: { appId, campaignId: id }, search: keepScreen, replace: true })
  }
  return (
    <ComposeStart
      key={page.key}
      draftKey={page.key}
      appId={appId}
      campaignId={campaignId === madeId ? undefined : campaignId}
      onMade={made}
    />
  )
}

/** What a new message began with is now in the draft and goes from the address; what is on screen stays there. */
const keepScreen = ({ step, locale, variant, person }: ComposeSearch): ComposeSearch => ({ step, locale, variant, person })
