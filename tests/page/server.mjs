// A static file server on 127.0.0.1, as plain as the plainest host: files as they are, nothing generated.
// The same folder is served at the root and under a sub-path, because the page has to work in both places.

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';

/** Where the page is served besides the root. */
export const SUB_PATH = '/a/sub-path/';

const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** The file that a request path means, or null if it would leave the folder. */
function fileOf(root, requestPath) {
  let name = requestPath.startsWith(SUB_PATH) ? requestPath.slice(SUB_PATH.length) : requestPath.slice(1);
  if (name === '' || name.endsWith('/')) name += 'index.html';
  const file = path.resolve(root, name);
  return file.startsWith(root + path.sep) ? file : null;
}

/** Serves a folder on a free port. Returns its origin and a function that ends it. */
export async function serve(folder) {
  const root = path.resolve(folder);
  const server = createServer(async (request, response) => {
    let requestPath;
    try {
      requestPath = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
    } catch {
      response.writeHead(400).end();
      return;
    }
    const file = fileOf(root, requestPath);
    const found = file && (await stat(file).catch(() => null));
    if (requestPath === '/favicon.ico' && !found?.isFile()) {
      // Browsers ask for it unasked; a page without one has no mistake.
      response.writeHead(204).end();
      return;
    }
    if (!found?.isFile()) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n');
      return;
    }
    response.writeHead(200, {
      'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream',
      'content-length': found.size,
    });
    if (request.method === 'HEAD') response.end();
    else createReadStream(file).pipe(response);
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
