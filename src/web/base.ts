/**
 * The path below which the product is served, with a slash at its end; the server writes it into
 * the page's head.
 */
export const basePath = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="base-path"]')?.content ?? '/'

/** Address of one of our pages, for plain links and full page loads. */
export const href = (path: string): string => basePath() + path.replace(/^\//, '')

/** The page's path below the base path, always with a leading slash. */
export function currentPath(): string {
  const { pathname } = location
  const base = basePath()
  return `/${pathname.startsWith(base) ? pathname.slice(base.length) : pathname.replace(/^\//, '')}`
}

/**
 * Only paths of our own are honoured after signing in: one leading slash, no scheme, no backslash.
 */
export const safeRedirect = (wish: string | null): string =>
  wish && /^\/(?![/\\])[^\\\s]*$/.test(wish) && !/^\/(login|404)\b/.test(wish) ? wish : '/home'
