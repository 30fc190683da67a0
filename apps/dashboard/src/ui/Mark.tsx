/** Draws the mark of Herald, as `icon.svg` does. */
export const Mark = ({ size }: { size: number }) => (
  <svg viewBox="0 0 32 32" width={size} height={size} fill="none" aria-hidden="true" className="shrink-0">
    <rect width="32" height="32" rx="7" fill="#3b5bdb" />
    <path d="M9 8v16M23 8v16M9 16h14" stroke="#fff" strokeWidth="3.4" strokeLinecap="round" />
    <circle cx="23" cy="8" r="3.6" fill="#ffd43b" />
  </svg>
)
