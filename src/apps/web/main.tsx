import '../../web/nonce.ts'
import '../../web/global.css'
import { start } from '../../web/entry.tsx'

start()
