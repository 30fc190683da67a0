import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useAppId } from '../../session/useAppId.ts'
import type { ComposeSearch } from '../search.ts'
import { ComposeStart } from './ComposeStart.tsx'

/** The page on which an operator writes a message, as a new one or from a draft. */
export function ComposePage() {
  const appId = useAppId()
  const { campaignId } = useParams({ strict: false })
  const navigate = useNavigate()
  // The address gets the id of a new message with its first save, and another when it becomes a campaign: what is on screen must stay. For any other
  // id the page reads the stored draft.
  const [page, setPage] = useState<{ appId: string; campaignId: string | undefined; key: string }>(() => ({
    appId,
    campaignId,
    key: crypto.randomUUID(),
  }))
  const [madeId, setMadeId] = useState<string>()
  if (page.appId !== appId || page.campaignId !== campaignId) {
    const isSame = page.appId === appId && campaignId !== undefined && campaignId === madeId
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

/** Keeps the search parameters that say what is on screen. The others say what a new message begins with, and the draft has that by now. */
const keepScreen = ({ step, locale, variant, person }: ComposeSearch): ComposeSearch => ({ step, locale, variant, person })
