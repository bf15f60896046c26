// Has Chromium call the server of examples/shop, which is written in Go, with a generated client.
//
//	node shop.mjs SERVER PAGE PROFILE   the server's program, the page's script, a folder for Chromium

import { spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";

const [program, script, profile] = process.argv.slice(2) as [string, string, string];
const want = "1 2 tea Grüße unimplemented";

const server = spawn(program, ["-addr", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "inherit"] });
const address = await new Promise<string>((resolve, reject) => {
  server.stdout.on("data", (text) => {
    const found = / at (\S+)/.exec(String(text));
    if (found) resolve(found[1]!);
  });
  server.on("exit", () => reject(new Error("the server ended")));
});

// The page and the server have one origin, so that the browser asks for no permission.
const result = new Promise<string>((resolve) => {
  const front = http.createServer((req, res) => {
    if (req.url === "/") {
      res.setHeader("Content-Type", "text/html; charset=utf-8");
      res.setHeader("Content-Security-Policy", "script-src 'self'");
      res.end('<!doctype html><script src="/page.js" defer></script>');
    } else if (req.url === "/page.js") {
      res.setHeader("Content-Type", "text/javascript; charset=utf-8");
      res.end(fs.readFileSync(script));
    } else if (req.url === "/result") {
      const parts: Buffer[] = [];
      req.on("data", (part: Buffer) => parts.push(part));
      req.on("end", () => {
        res.end();
        resolve(Buffer.concat(parts).toString());
      });
    } else {
      const [host, port] = address.split(":");
      req.pipe(http.request({ host, port, path: req.url, method: req.method, headers: req.headers }, (answer) => {
        res.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(res);
      }));
    }
  });
  front.listen(0, "127.0.0.1", () => {
    const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}/`;
    const browser = spawn("chromium", ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
      `--user-data-dir=${profile}`, "--remote-debugging-port=0", url], { stdio: "ignore" });
    browser.on("exit", () => resolve("chromium ended"));
    process.on("exit", () => browser.kill("SIGKILL"));
  });
});
const got = await Promise.race([result,
  new Promise<string>((resolve) => setTimeout(resolve, 120_000, "no answer in two minutes"))]);
server.kill();
console.log(got === want ? "chromium and examples/shop: the same" : `chromium got ${got} of examples/shop, want ${want}`);
process.exit(got === want ? 0 : 1);
