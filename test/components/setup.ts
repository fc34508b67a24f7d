import '../../src/web/nonce.ts'
import '../../src/web/global.css'
import '../../src/web/app.css'
import { publishTheme } from '../../src/web/theme.ts'

publishTheme()
