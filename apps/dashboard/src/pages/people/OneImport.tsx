import { useEffect, useRef, useState } from 'react'
import { api, client, dataOf } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import { useAppId } from '../../session/useAppId.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Bar } from '../../ui/Bar.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Confirm } from '../../ui/Confirm.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { FileInput } from '../../ui/TextInput.tsx'
import { Field } from '../../ui/Field.tsx'
import { Loaded } from '../../ui/Loaded.tsx'
import { Tag } from '../../ui/Tag.tsx'
import { ImportErrors, ImportResult, ImportStatus } from './ImportResult.tsx'
import { sendImport, type ImportReport } from './send-import.ts'

/**
 * Shows one import. The file is sent while this page is open. After the page was closed the operator chooses the same file again, and sending goes on
 * where it stopped.
 */
export function OneImport({
  importId,
  file,
  onBack,
  onBegun,
}: {
  importId: string
  file: File | undefined
  onBack: () => void
  onBegun: (report: ImportReport, file: File) => void
}) {
  const appId = useAppId()
  const report = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/imports/{id}',
    { params: { path: { appId, id: importId } } },
    { refetchInterval: ({ state }) => (state.data?.state === 'receiving' ? 1_000 : false) },
  )
  if (report.isError && faultOf(report.error).status === 404)
    return (
      <Empty title="This import has expired" action={<Button onClick={onBack}>All imports</Button>}>
        Imports are kept for 30 days.
      </Empty>
    )
  return (
    <Loaded query={report}>
      {(data) => (
        <div className="flex flex-col gap-5">
          <Card
            title={
              <span className="flex flex-wrap items-center gap-2">
                Import <ImportStatus state={data.state} /> {data.dryRun && <Tag>dry run</Tag>}
              </span>
            }
            actions={
              <Button small onClick={onBack}>
                All imports
              </Button>
            }
          >
            <div className="flex flex-col gap-4">
              {data.state === 'receiving' && <Sending report={data} given={file} onEnded={() => void report.refetch()} />}
              <ImportResult report={data} />
              {data.state === 'finished' && data.dryRun && <ForReal report={data} file={file} onBegun={onBegun} />}
            </div>
          </Card>
          {data.rejected > 0 && <ImportErrors importId={data.id} rejected={data.state === 'receiving' ? 0 : data.rejected} />}
        </div>
      )}
    </Loaded>
  )
}

function Sending({ report, given, onEnded }: { report: ImportReport; given: File | undefined; onEnded: () => void }) {
  const appId = useAppId()
  const [file, setFile] = useState(given)
  const [error, setError] = useState<unknown>()
  const [isCancelling, setCancelling] = useState(false)
  const first = useRef(report)
  const [round, setRound] = useState(0)

  useEffect(() => {
    if (file === undefined) return undefined
    const controller = new AbortController()
    setError(undefined)
    const send = (): Promise<unknown> =>
      sendImport({ appId, report: first.current, file, signal: controller.signal }).then(
        () => !controller.signal.aborted && onEnded(),
        (fault: unknown) => !controller.signal.aborted && setError(fault),
      )
    // In development React runs each effect twice in a row. The timer makes sure that only the second run sends, because the first is undone before
    // its timer runs.
    const begin = setTimeout(() => void send())
    return () => {
      clearTimeout(begin)
      controller.abort()
    }
    // The file is sent once per chosen file and try. A new `onEnded` must not send it again, so it is not among the dependencies.
  }, [appId, file, round])

  const cancel = async (): Promise<void> => {
    setFile(undefined)
    await client.DELETE('/v1/admin/apps/{appId}/imports/{id}', { params: { path: { appId, id: report.id } } })
    announce('The import is cancelled; what was written stays')
    onEnded()
  }
  const again = async (): Promise<void> => {
    try {
      first.current = dataOf(await client.GET('/v1/admin/apps/{appId}/imports/{id}', { params: { path: { appId, id: report.id } } }))
      setRound(round + 1)
    } catch (fault) {
      setError(fault)
    }
  }
  const percent = file === undefined || file.size === 0 ? 0 : Math.floor((report.offset / file.size) * 100)
  return (
    <div className="flex flex-col gap-3">
      {file === undefined ? (
        <Field
          label="Choose the same file to continue"
          hint={`${(report.offset / 1_000_000).toLocaleString('en', { maximumFractionDigits: 1 })} MB are imported. Nothing is written twice.`}
        >
          {(control) => (
            <FileInput
              {...control}
              onChange={(event) => {
                first.current = report
                setFile(event.target.files?.[0])
              }}
            />
          )}
        </Field>
      ) : (
        <div>
          <p className="mb-1">
            Sending {file.name}: {percent} %. Keep this page open; if it closes, choose the file again and it goes on here.
          </p>
          <Bar value={report.offset} of={file.size} label={`${percent} % of the file`} />
        </div>
      )}
      {error !== undefined && <ErrorNote error={error} retry={() => void again()} />}
      <div>
        <Button small onClick={() => setCancelling(true)}>
          Cancel the import
        </Button>
      </div>
      <Confirm
        open={isCancelling}
        onClose={() => setCancelling(false)}
        title="Cancel this import?"
        action="Cancel the import"
        danger
        onConfirm={cancel}
      >
        What is written stays. Importing the whole file later writes nothing twice.
      </Confirm>
    </div>
  )
}

/** After a dry run: a button that imports the same file with the same settings. */
function ForReal({
  report,
  file,
  onBegun,
}: {
  report: ImportReport
  file: File | undefined
  onBegun: (report: ImportReport, file: File) => void
}) {
  const appId = useAppId()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  if (file === undefined)
    return <p className="text-muted">Nothing was imported. To import the file, start a new import without “Dry run first”.</p>
  const begin = async (): Promise<void> => {
    setBusy(true)
    try {
      const { format, onExisting, web, columns, assumeOptedIn } = report
      const body = { format, dryRun: false, onExisting, web, assumeOptedIn, ...(columns === null ? {} : { columns }) }
      onBegun(dataOf(await client.POST('/v1/admin/apps/{appId}/imports', { params: { path: { appId } }, body })), file)
    } catch (fault) {
      setError(fault)
      setBusy(false)
    }
  }
  return (
    <div className="flex flex-col gap-3">
      {error !== undefined && <ErrorNote error={error} />}
      <p>Nothing was imported yet. This is what the import would do.</p>
      <div>
        <Button variant="primary" busy={busy} onClick={() => void begin()}>
          Start the import of {file.name}
        </Button>
      </div>
    </div>
  )
}
