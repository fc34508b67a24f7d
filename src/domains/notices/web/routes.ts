import { domainRoutes } from '../../../web/routes.ts'

const form = () => import('./NoticeForm.tsx').then((m) => m.NoticeForm)
export const routes = domainRoutes('notices', () => import('../locale.ts'), {
  '/log/issue-notice': () => import('./NoticeList.tsx').then((m) => m.NoticeList),
  '/log/issue-notice/IssueAnnouncement': form,
  '/log/issue-notice/IssueAnnouncement/:id': form,
  '/notice': () => import('./Inbox.tsx').then((m) => m.Inbox),
})
