import { Download } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { client, dataOf } from '../../api/client.ts'
import { auditHead, auditRow, csvOf } from '../../core/audit-texts.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Button } from '../../ui/Button.tsx'
import { saveFile } from '../../ui/save-file.ts'
import type { AuditSearch } from '../search.ts'

/** A file has at most this many lines. An operator who needs more reads them page by page from the API. */
const mostLines = 10_000

async function readLines(appId: string, search: AuditSearch, signal: AbortSignal): Promise<{ rows: string[][]; isCut: boolean }> {
  const rows: string[][] = []
  let cursor: string | undefined
  do {
    const query = { limit: 200, ...(cursor !== undefined && { cursor }), ...search }
    const page = dataOf(await client.GET('/v1/admin/apps/{appId}/audit', { params: { path: { appId }, query }, signal }))
    rows.push(...page.items.map(auditRow))
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined && rows.length < mostLines)
  return { rows: rows.slice(0, mostLines), isCut: cursor !== undefined }
}

/** A button that downloads the lines of the audit that fit the filters, as a CSV. */
export function DownloadAudit({ appId, search }: { appId: string; search: AuditSearch }) {
  const [isReading, setIsReading] = useState(false)
  const leaving = useRef<AbortController>(undefined)
  useEffect(() => () => leaving.current?.abort(), [])

  async function download(): Promise<void> {
    const controller = new AbortController()
    leaving.current = controller
    setIsReading(true)
    try {
      const { rows, isCut } = await readLines(appId, search, controller.signal)
      saveFile(csvOf(auditHead, rows), `audit-${appId}.csv`)
      announce(
        isCut ? `The file holds the newest ${mostLines} lines. Narrow the time to get the others.` : `The file holds ${rows.length} lines.`,
        isCut ? 'info' : 'good',
      )
    } catch (error) {
      if (!controller.signal.aborted)
        announce(`The file could not be created: ${error instanceof Error ? error.message : 'try again'}`, 'bad')
    } finally {
      setIsReading(false)
    }
  }
  return (
    <Button icon={<Download size={14} aria-hidden />} busy={isReading} onClick={() => void download()}>
      CSV
    </Button>
  )
}
