package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/octopus-framework/octopus/nerve/remote"
	"github.com/octopus-framework/octopus/nerve/serve"
)

// server serves a folder to everybody on loopback, until it is killed.
func server(dir string, secure bool) error {
	o := serve.Options{Listen: "127.0.0.1:0", Anonymous: "all", Create: true, Connections: 4096}
	if secure {
		o.Cert, o.Key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	}
	s, err := serve.Open(dir, o)
	if err != nil {
		return err
	}
	fmt.Println(s.Addr())
	return s.Run(context.Background())
}

// process is a server that runs.
type process struct {
	cmd     *exec.Cmd
	address string
	tls     *tls.Config
	took    time.Duration // until it listened
}

func start(dir string, secure bool) (*process, error) {
	p := new(process)
	args := []string{"-server", dir}
	if secure {
		var err error
		if p.tls, err = certificate(dir); err != nil {
			return nil, err
		}
		args = append(args, "-tls")
	}
	p.cmd = exec.Command(os.Args[0], args...)
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	p.took = time.Since(began)
	p.address = strings.TrimSpace(line)
	if err != nil {
		return nil, errors.Join(err, p.stop())
	}
	return p, nil
}

func (p *process) stop() error {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait() // it was killed
	return nil
}

// resident returns the memory of the process in MiB.
func (p *process) resident() (float64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "VmRSS:" {
			kb, err := strconv.Atoi(f[1])
			return float64(kb) / 1024, err
		}
	}
	return 0, errors.New("there is no VmRSS")
}

func (p *process) open(queue string) (*remote.Log, error) {
	return remote.Open(context.Background(), "nerve://"+p.address+"/"+queue,
		remote.Options{Create: true, TLS: p.tls})
}

// certificate makes one for loopback, and the configuration of who trusts it.
func certificate(dir string) (*tls.Config, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for name, b := range map[string][]byte{
		"cert.pem": cert, "key.pem": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			return nil, err
		}
	}
	trust := x509.NewCertPool()
	trust.AppendCertsFromPEM(cert)
	return &tls.Config{RootCAs: trust}, nil
}
