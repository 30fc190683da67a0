import { Moon, Sun } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import type { Measured } from '../../core/measure.ts'
import { Banner } from '../Banner.tsx'
import { Button } from '../Button.tsx'
import { Tabs } from '../Tabs.tsx'
import { AndroidPreview } from './AndroidPreview.tsx'
import { BrowserPreview } from './BrowserPreview.tsx'
import { IosPreview } from './IosPreview.tsx'
import { LocalPicture } from './PreviewParts.tsx'
import { useOwnPicture } from './useOwnPicture.ts'

const surfaces = [
  { value: 'ios', label: 'iPhone', platform: 'ios' },
  { value: 'android', label: 'Android', platform: 'android' },
  { value: 'chrome', label: 'Chrome', platform: 'web' },
  { value: 'firefox', label: 'Firefox', platform: 'web' },
] as const
type Surface = (typeof surfaces)[number]['value']

/**
 * Shows roughly what the message looks like on phones and in browsers, for the chosen user and language. The text is exact: the code that sends has
 * filled it in and cut it.
 */
export function Previews({
  measured,
  app,
  silent,
  children,
}: {
  measured: readonly Measured[]
  app: string
  silent?: boolean | undefined
  children?: ReactNode
}) {
  const [surface, setSurface] = useState<Surface>('ios')
  const [theme, setTheme] = useState<'light' | 'dark'>(() => (document.documentElement.dataset['theme'] === 'dark' ? 'dark' : 'light'))
  const [picture, setPicture] = useLocalPicture()
  const { platform = 'ios' } = surfaces.find(({ value }) => value === surface) ?? {}
  const one = measured.find((candidate) => candidate.platform === platform)
  const entry = silent === true ? null : (one?.shown ?? null)
  const own = useOwnPicture(entry?.image ?? '')

  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center justify-between gap-2">
        <Tabs label="Where it is shown" value={surface} onChange={setSurface} items={surfaces} />
        <Button
          variant="quiet"
          small
          aria-label={theme === 'light' ? 'Show it in dark' : 'Show it in light'}
          onClick={() => setTheme(theme === 'light' ? 'dark' : 'light')}
        >
          {theme === 'light' ? <Moon size={14} aria-hidden /> : <Sun size={14} aria-hidden />}
        </Button>
      </div>
      {children}
      {entry === null ? (
        <Banner kind="info">
          {silent === true
            ? 'A silent message shows nothing. The app gets its data.'
            : 'Title and text are empty for this person, so this push would be skipped.'}
        </Banner>
      ) : (
        <LocalPicture value={picture}>
          {surface === 'ios' && <IosPreview entry={entry} app={app} theme={theme} />}
          {surface === 'android' && <AndroidPreview entry={entry} app={app} theme={theme} />}
          {(surface === 'chrome' || surface === 'firefox') && <BrowserPreview entry={entry} app={app} theme={theme} browser={surface} />}
        </LocalPicture>
      )}
      <p className="text-sm text-muted">Appearance may differ by device.</p>
      {entry?.image !== undefined && own === undefined && (
        <label className="flex flex-wrap items-center gap-2 text-sm text-muted">
          The image is not loaded here. Show one from this computer in its place:
          <input type="file" accept="image/*" className="max-w-full text-sm" onChange={({ target }) => setPicture(target.files?.[0])} />
        </label>
      )}
    </div>
  )
}

/** Makes an address for a picture from this computer, and frees it when the picture is not shown any more. */
function useLocalPicture(): [string | undefined, (file: File | undefined) => void] {
  const [picture, setPicture] = useState<string>()
  useEffect(() => () => (picture === undefined ? undefined : URL.revokeObjectURL(picture)), [picture])
  return [picture, (file) => setPicture(file && URL.createObjectURL(file))]
}
