/** The CSS classes of a file field, which make the browser's button look like the dashboard's. */
export const fileClass =
  'max-w-full text-sm file:mr-2 file:h-7 file:rounded-md file:border file:border-solid file:border-line file:bg-surface file:px-2 file:font-medium file:text-ink file:hover:bg-hover'
