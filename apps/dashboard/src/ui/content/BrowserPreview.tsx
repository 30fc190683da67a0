import type { LocaleEntry } from '@herald/contracts/content'
import { clsx } from 'clsx'
import { X } from 'lucide-react'
import { AppIcon, PictureFrame, PreviewActions } from './PreviewParts.tsx'

const looks = {
  chrome: {
    name: 'Chrome',
    light: 'bg-[#fff] text-[#202124]',
    dark: 'bg-[#292a2d] text-[#e8eaed]',
    corner: 'rounded-xl',
    hasPicture: true,
  },
  firefox: {
    name: 'Firefox',
    light: 'bg-[#f9f9fb] text-[#15141a]',
    dark: 'bg-[#2b2a33] text-[#fbfbfe]',
    corner: 'rounded-md',
    hasPicture: false,
  },
}

/** Draws a message roughly as a desktop browser shows it. Where the operating system draws notifications, they look different. */
export function BrowserPreview({
  entry,
  app,
  theme,
  browser,
}: {
  entry: LocaleEntry
  app: string
  theme: 'light' | 'dark'
  browser: keyof typeof looks
}) {
  const { name, corner, hasPicture, ...colours } = looks[browser]
  return (
    <div className={clsx('flex flex-col gap-3 rounded-xl p-3', theme === 'light' ? 'bg-[#d6dbe4]' : 'bg-[#0f1115]')}>
      <div className={clsx('flex flex-col gap-2 p-3 shadow-md', colours[theme], corner)}>
        <div className="flex items-start gap-3">
          <AppIcon app={app} className="size-10 rounded" />
          <div className="min-w-0 flex-1">
            <p dir="auto" className="line-clamp-2 text-[13px] font-semibold break-words">
              {entry.title}
            </p>
            <p dir="auto" className="line-clamp-4 text-[13px] break-words whitespace-pre-line opacity-85">
              {entry.body}
            </p>
            <p className="mt-0.5 truncate text-[11px] opacity-75">
              {name} · {app}
            </p>
          </div>
          <X size={14} aria-hidden className="shrink-0 opacity-75" />
        </div>
        {entry.image !== undefined && hasPicture && <PictureFrame address={entry.image} className="rounded" />}
        {entry.image !== undefined && !hasPicture && <p className="text-[11px] opacity-80">Firefox shows no image.</p>}
        <PreviewActions
          actions={entry.actions}
          most={2}
          where={name}
          className="flex gap-2"
          each="block min-w-0 flex-1 truncate rounded border border-current/25 px-2 py-1 text-center text-[13px]"
        />
      </div>
    </div>
  )
}
