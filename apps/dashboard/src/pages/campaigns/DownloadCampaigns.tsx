import { Download } from 'lucide-react'
import { useState } from 'react'
import { client, dataOf } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import { csvOf } from '../../core/audit-texts.ts'
import { campaignRow, campaignsHead } from '../../core/campaigns-csv.ts'
import { countText } from '../../core/number.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Button } from '../../ui/Button.tsx'
import { saveFile } from '../../ui/save-file.ts'

/** A file has at most this many campaigns. Who needs more reads them page by page from the API. */
const mostRows = 10_000

export type ListQuery = {
  status?: string
  transactional?: 'true' | 'false'
  test?: 'true'
  q?: string
  author?: string
  audience?: string
  platform?: string
  from?: string
}

/** A button that downloads the campaigns that fit the filters, with their counters, as a CSV. */
export function DownloadCampaigns({ appId, query }: { appId: string; query: ListQuery }) {
  const [busy, setBusy] = useState(false)
  const download = async (): Promise<void> => {
    setBusy(true)
    try {
      const rows: string[][] = []
      let cursor: string | null = ''
      while (cursor !== null && rows.length < mostRows) {
        const asked = { ...query, limit: 200, ...(cursor === '' ? {} : { cursor }) } as never
        const page = dataOf(await client.GET('/v1/admin/apps/{appId}/campaigns', { params: { path: { appId }, query: asked } }))
        rows.push(...page.items.map(campaignRow))
        cursor = page.nextCursor
      }
      saveFile(csvOf(campaignsHead, rows.slice(0, mostRows)), `campaigns-${appId}.csv`)
      announce(`The file holds ${cursor === null ? '' : 'the newest '}${countText(Math.min(rows.length, mostRows))} campaigns.`, 'good')
    } catch (error) {
      announce(faultOf(error).message, 'bad')
    }
    setBusy(false)
  }
  return (
    <Button icon={<Download size={14} aria-hidden />} busy={busy} onClick={() => void download()}>
      CSV
    </Button>
  )
}
