/*
 * Keeps the shell of the phone pages, so that a visit goes on without the network: the page, its
 * scripts, styles and fonts, and the pictures of what was taken along. Answers of the API are never
 * kept. `build` and `files` are written above this by the build (phone.ts).
 *
 * A new release is kept beside the one that runs and takes over when no page of the old one is open
 * any more; until then a page finds all it was built with.
 */
const base = new URL('./', self.location.href)
const page = new URL('stock/replenish', base).href
const own = `huodao-shell-${build}`
const pictures = 'huodao-pictures'
/** The network is there and does not answer. */
const patience = 4000

addEventListener('install', (event) => event.waitUntil(keepShell()))
addEventListener('activate', (event) => event.waitUntil(takeOver()))
addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || !url.href.startsWith(base.href)) return
  const path = url.pathname.slice(base.pathname.length)
  if (request.mode === 'navigate') {
    if (!/^(api|auth|files|mobile)\//.test(path)) event.respondWith(opened(request))
  } else if (path.startsWith('assets/')) event.respondWith(kept(request))
  else if (path.startsWith('files/')) event.respondWith(kept(request, pictures))
  else if (files.includes(path)) event.respondWith(fetch(request).catch(() => kept(request)))
})

async function keepShell() {
  const cache = await caches.open(own)
  const shell = await fetch(page, { cache: 'reload', headers: { accept: 'text/html' } })
  const text = await shell.clone().text()
  // released once more meanwhile: the next look finds a worker that fits
  if (!shell.ok || !text.includes(`content="${build}"`)) throw new Error('another build is served')
  await cache.put(page, shell)
  await Promise.all(
    files.map(async (file) => {
      const url = new URL(file, base).href
      // names tell contents: what another release kept is the same
      const known = file.startsWith('assets/') ? await caches.match(url) : undefined
      const found = known ?? (await fetch(url))
      if (!found.ok) throw new Error(`${file} is not served`)
      await cache.put(url, found)
    }),
  )
}

async function takeOver() {
  const names = await caches.keys()
  const old = names.filter((name) => name.startsWith('huodao-shell-') && name !== own)
  await Promise.all(old.map((name) => caches.delete(name)))
  await clients.claim()
}

/** The newest page the network gives; without one the page that is kept. */
async function opened(request) {
  const shell = await caches.match(page, { cacheName: own })
  if (!shell) return fetch(request)
  const network = fetch(request).then(
    (response) => (response.status >= 500 ? shell : response),
    () => shell,
  )
  const late = new Promise((resolve) => setTimeout(() => resolve(shell), patience))
  return Promise.race([network, late])
}

/** Pictures are of the kind that was kept, whatever the page would rather have. */
const kept = async (request, cacheName) =>
  (await caches.match(request.url, cacheName ? { cacheName, ignoreVary: true } : {})) ??
  fetch(request)
