import '../../src/web/nonce.ts'
import '../../src/web/global.css'
import '../../src/web/app.css'
import { exportList } from '../../src/domains/jobs/web/pickers.ts'
import { provide } from '../../src/web/product.ts'
import { publishTheme } from '../../src/web/theme.ts'

publishTheme()
// components know no pages; what the kit asks of the product is the real one
provide({ screens: [], publicRoutes: {}, WhyNot: () => null, exportList })
